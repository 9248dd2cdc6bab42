#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "system/machine/machine.h"
#include "system/process/interrupted.h"
#include "system/process/subprocess_run.h"

namespace coppice::system {

// The number of threads for a run with this many flit-hops: `asked`; if that is 0, the number of cores, or
// one for a small run.
inline int threads_for(double flit_hops, int asked) {
  constexpr double kSmall = 2e6;
  if (asked > 0) return asked;
  return flit_hops < kSmall ? 1 : available_processors();
}

// Files and callbacks of a run in addition to its result.
struct RunOptions {
  std::string trace_path;       // of a trace for Perfetto; empty: none
  std::string vcd_path;         // value change dump; empty: none
  std::string statistics_path;  // counts of every module, as CSV; empty: none
  std::string fst_path;         // waveform of the Verilog NI at the first of observe.nodes; empty: none
  bool record = false;          // whether the result gets `profile`, which `coppice report` draws over time
  const std::atomic<bool>* interrupted = nullptr;  // polled; a set flag ends the run with Interrupted
  // Called from time to time with the fraction of the work done.
  std::function<void(double fraction)> progress;

  // The number of threads that run the nodes of a collective or a program side by side if flits move; 0:
  // threads_for() decides. Results do not depend on it.
  int threads = 1;

  // Whether fluid routing studies measure the error of their times on a sample, which takes about a second.
  bool measures_fluid_error = true;

  MachineParts parts;  // your own modules, which replace the machine's

  // Observers for comparisons of runs; not owned. With `fidelity: auto` they also observe the child process
  // that tries trains.
  std::vector<ni::MessageObserver*> message_observers;
  std::vector<fabric::FabricObserver*> fabric_observers;
  fabric::FabricStatistics* statistics = nullptr;  // receives the fabric's counts at the end of the run
  // Whether the trains of one accelerator represent those of all (SymmetricRun) in this process and with
  // observers, who see the events of a cycle in another order. By default this happens only in a separate
  // process and without observers.
  bool by_one_here = false;
  // The meetings of a run of trains in this process (MachineSpec::meetings); not owned.
  fabric::Meetings* meetings = nullptr;
  // Overrides CompileRequest::pattern_beyond.
  std::optional<int> pattern_beyond{};
  // Receives each accelerator and its gradient buffer, once the run is done and verified with `check:
  // values`.
  std::function<void(int accelerator, std::span<const float> values)> final_values;
};

}  // namespace coppice::system
