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

// The number of threads for a run with this many flit-hops: `asked`, or if that is 0, the number of cores, or
// one for a small run.
inline int threads_for(double flit_hops, int asked) {
  constexpr double kSmall = 2e6;
  if (asked > 0) return asked;
  return flit_hops < kSmall ? 1 : available_processors();
}

// Files and callbacks that a run may use besides its result.
struct RunOptions {
  std::string trace_path;       // Chrome trace events; empty: none
  std::string vcd_path;         // value change dump; empty: none
  std::string statistics_path;  // what every module counted, as CSV; empty: none
  std::string fst_path;         // waveform of a Verilog NI, observe.nodes' first; empty: none
  bool record = false;          // the result gets `profile`, what coppice report draws over time
  const std::atomic<bool>* interrupted = nullptr;  // polled; a set flag ends the run with Interrupted
  std::function<void(double fraction)> progress;   // called now and then with the part of the work done

  // In which the nodes of a collective or a program run side by side where flits move; 0: threads_for()
  // decides. Results do not depend on it.
  int threads = 1;

  // Whether fluid routing studies measure the error of their times on a sample, which takes about a second.
  bool measures_fluid_error = true;

  MachineParts parts;  // modules of your own in the places of the machine's

  // Observers for comparisons of runs; not owned. With `fidelity: auto` they also observe the child process
  // that tries trains.
  std::vector<ni::MessageObserver*> message_observers;
  std::vector<fabric::FabricObserver*> fabric_observers;
  fabric::FabricStatistics* statistics = nullptr;  // gets what the fabric has counted, when the run is done
  // Whether trains of a collective that every accelerator sees alike are those of one (SymmetricRun) in this
  // process and with observers, who see what comes in a cycle in another order, instead of in a process of
  // their own and where nobody observes.
  bool by_one_here = false;
  // The meetings of a run of trains in this process (MachineSpec::meetings); not owned.
  fabric::Meetings* meetings = nullptr;
  // Overrides CompileRequest::pattern_beyond.
  std::optional<int> pattern_beyond{};
  // Gets the accelerator and its gradient buffer, when the run is done and verified with `check: values`.
  std::function<void(int accelerator, std::span<const float> values)> final_values;
};

}  // namespace coppice::system
