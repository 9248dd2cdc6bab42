#pragma once

#include <atomic>
#include <functional>
#include <string>

#include "base/units.h"
#include "fabric/fabric.h"
#include "system/process/interrupted.h"

namespace coppice::system {

// The progress of a run on a fabric. All functions are called between slices of its time.
struct RunState {
  std::function<void(Cycles)> run_to;  // lets the kernel run until this cycle; throws what the modules throw
  std::function<bool()> complete;
  std::function<double()> part;            // of the work, from 0 to 1
  std::function<std::string()> how_far;    // "3 of 5 messages are done", for a run that ends too soon
  std::function<bool(Cycles)> stuck;       // in this cycle: nothing will ever move again
  std::function<std::string(Cycles)> who;  // waits for what, a line each, where it is stuck
  std::function<void()> between;           // what else is to be done; empty: nothing
  // The latest end of the slice that begins in a cycle; empty: no limit.
  std::function<Cycles(Cycles)> next_look{};
  std::function<bool()> ended{};  // the run; empty: when all is complete and the fabric is idle
};

// Runs what is on a fabric slice by slice of its time, or up to the next thing that happens where nothing
// does for longer, and looks at it in between; returns the cycle after the last slice. Throws Interrupted,
// ModelError where it is stuck (a deadlock) or not complete at `max_cycles` (0: no limit), and what the
// modules throw. `interrupted` and `progress` may be empty.
Cycles run_to_end(const fabric::Fabric& fabric, const RunState& state, Cycles max_cycles,
                  const std::atomic<bool>* interrupted, const std::function<void(double)>& progress);

// Whether no process of the kernel is ever going to run again.
bool kernel_is_silent();

}  // namespace coppice::system
