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

// The number of threads for a run of `flit_hops`. This is `asked` if it is not 0. Otherwise, a large run gets
// one thread per core, and a small run gets one thread.
inline int threads_for(double flit_hops, int asked) {
  constexpr double kSmall = 2e6;
  if (asked > 0) return asked;
  return flit_hops < kSmall ? 1 : available_processors();
}

// Options, additional output files and callbacks of a run.
struct RunOptions {
  std::string trace_path;       // file name of the Perfetto trace; empty: none
  std::string vcd_path;         // file name of the value change dump; empty: none
  std::string statistics_path;  // file name of the CSV table of every module's counts; empty: none
  // File name of the waveform of the Verilog NI at the first of observe.nodes; empty: none.
  std::string fst_path;
  // Whether the result gets a `profile`, the activity that `coppice report` draws over time.
  bool record = false;
  // Whether the result lists every accelerator, even if one represents others that behave identically.
  bool per_accelerator = false;
  const std::atomic<bool>* interrupted = nullptr;  // polled; once set, the run throws Interrupted
  // Called periodically with the fraction of the work done.
  std::function<void(double fraction)> progress;

  // The number of threads that run nodes in parallel if flits are simulated; 0: threads_for() decides.
  // Results do not depend on the number.
  int threads = 1;

  // Whether routing studies at fluid fidelity also measure the error of their times on a sample, which takes
  // about a second.
  bool measures_fluid_error = true;

  MachineParts parts;  // user-defined modules that replace the machine's own

  // Observers for comparing runs; not owned. With `fidelity: auto`, they also observe the train run in the
  // child process.
  std::vector<ni::MessageObserver*> message_observers;
  std::vector<fabric::FabricObserver*> fabric_observers;
  fabric::FabricStatistics* statistics = nullptr;  // receives the fabric's statistics at the end of the run
  // Whether one accelerator's trains may represent those of all (SymmetricRun) even in this process and with
  // observers, which then see the events of a cycle in a different order. Otherwise this is allowed only in a
  // child process without observers.
  bool by_one_here = false;
  // For a train run in this process: see MachineSpec::meetings. Not owned.
  fabric::Meetings* meetings = nullptr;
  // Overrides CompileRequest::pattern_beyond.
  std::optional<int> pattern_beyond{};
  // With `check: values`, called for each accelerator with its gradient buffer after the run has been
  // verified.
  std::function<void(int accelerator, std::span<const float> values)> final_values;
};

}  // namespace coppice::system
