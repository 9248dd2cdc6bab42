#include <benchmark/benchmark.h>

#include <cstdlib>
#include <systemc>

// SystemC's library requires this function; the benchmarks do not call it.
int sc_main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}

int main(int argc, char** argv) {
  // Prevents SystemC from printing its copyright notice in every simulation.
  ::setenv("SC_COPYRIGHT_MESSAGE", "DISABLE", 1);
  return sc_core::sc_elab_and_sim(argc, argv);
}
