#pragma once

#include <atomic>
#include <functional>
#include <string>

#include "base/units.h"
#include "fabric/fabric.h"
#include "system/process/interrupted.h"

namespace coppice::system {

// The progress of a run on a fabric. All functions are called between time slices.
struct RunState {
  std::function<void(Cycles)> run_to;  // runs the kernel until this cycle; throws the exceptions of modules
  std::function<bool()> complete;
  std::function<double()> part;          // fraction of the work done, from 0 to 1
  std::function<std::string()> how_far;  // "3 of 5 messages are done", for a run that ends too early
  std::function<bool(Cycles)> stuck;     // whether nothing will ever move again, in this cycle
  // Lists waiting operations and their reasons, one per line, if the run is stuck.
  std::function<std::string(Cycles)> who;
  std::function<void()> between;  // additional work between slices; empty: none
  // The latest end of the slice that begins in a cycle; empty: no limit.
  std::function<Cycles(Cycles)> next_look{};
  // Whether the run has ended; empty: when all is complete and the fabric is idle.
  std::function<bool()> ended{};
};

// Runs a fabric slice by slice, extending a slice to the next activity if there is none for longer, and
// checks the state in between; returns the cycle after the last slice. Throws Interrupted, ModelError if the
// run is stuck (a deadlock) or not complete at `max_cycles` (0: no limit), and the exceptions of modules.
// `interrupted` and `progress` may be empty.
Cycles run_to_end(const fabric::Fabric& fabric, const RunState& state, Cycles max_cycles,
                  const std::atomic<bool>* interrupted, const std::function<void(double)>& progress);

// Whether no process of the kernel will ever run again.
bool kernel_is_silent();

}  // namespace coppice::system
