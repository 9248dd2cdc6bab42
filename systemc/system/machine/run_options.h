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

// The number of threads for a run of `flit_hops`: `asked`; if that is 0, the number of cores, or 1 for a
// small run.
inline int threads_for(double flit_hops, int asked) {
  constexpr double kSmall = 2e6;
  if (asked > 0) return asked;
  return flit_hops < kSmall ? 1 : available_processors();
}

// Options, additional output files and callbacks of a run.
struct RunOptions {
  std::string trace_path;       // trace for Perfetto; empty: none
  std::string vcd_path;         // value change dump; empty: none
  std::string statistics_path;  // counts of every module, as CSV; empty: none
  std::string fst_path;         // waveform of the Verilog NI at the first of observe.nodes; empty: none
  bool record = false;          // whether the result gets `profile`, which `coppice report` draws over time
  // Whether the result lists every accelerator, even if one accelerator represents others that act alike.
  bool per_accelerator = false;
  const std::atomic<bool>* interrupted = nullptr;  // polled; once set, the run throws Interrupted
  // Called periodically with the fraction of the work done.
  std::function<void(double fraction)> progress;

  // The number of threads that run the nodes in parallel if flits move; 0: threads_for() decides. Results do
  // not depend on it.
  int threads = 1;

  // Whether routing studies at fluid fidelity measure the error of their times on a sample (about a second).
  bool measures_fluid_error = true;

  MachineParts parts;  // your own modules, which replace the machine's

  // Observers that compare runs; not owned. With `fidelity: auto` they also observe the run of trains in the
  // child process.
  std::vector<ni::MessageObserver*> message_observers;
  std::vector<fabric::FabricObserver*> fabric_observers;
  fabric::FabricStatistics* statistics = nullptr;  // receives the fabric's statistics at the end of the run
  // Whether one accelerator's trains may represent those of all (SymmetricRun) even in this process and with
  // observers, which then see the events of a cycle in another order. By default this happens only in a child
  // process without observers.
  bool by_one_here = false;
  // The meetings of a run of trains in this process (MachineSpec::meetings); not owned.
  fabric::Meetings* meetings = nullptr;
  // Overrides CompileRequest::pattern_beyond.
  std::optional<int> pattern_beyond{};
  // With `check: values`, called for each accelerator with its gradient buffer once the run is verified.
  std::function<void(int accelerator, std::span<const float> values)> final_values;
};

}  // namespace coppice::system
