#pragma once

#include <atomic>
#include <functional>
#include <string>

#include "base/units.h"
#include "fabric/fabric.h"
#include "system/process/interrupted.h"

namespace coppice::system {

// Functions that control and describe a run on a fabric. They are called between time slices.
struct RunState {
  std::function<void(Cycles)> run_to;  // runs the kernel until this cycle; rethrows exceptions of modules
  std::function<bool()> complete;
  std::function<double()> part;          // fraction of the work done, from 0 to 1
  std::function<std::string()> how_far;  // progress to quote in errors, such as "3 of 5 messages are done"
  std::function<bool(Cycles)> stuck;     // whether nothing can move after this cycle
  // Describes what each unfinished operation is waiting for, one per line. Called if the run is stuck.
  std::function<std::string(Cycles)> who;
  std::function<void()> between;  // called between slices for additional work; empty: none
  // The latest cycle in which a slice that begins in the given cycle may end; empty: no limit.
  std::function<Cycles(Cycles)> next_look{};
  // Whether the run has ended; empty: the run ends when it is complete and the fabric is idle.
  std::function<bool()> ended{};
};

// Runs a fabric in slices and checks the state after each. A slice is extended until the next activity.
// Returns the cycle after the last slice. Throws Interrupted, exceptions of modules, and ModelError if the
// run is stuck (a deadlock) or incomplete after `max_cycles` (0: no limit). `interrupted` may be nullptr, and
// `progress` may be empty.
Cycles run_to_end(const fabric::Fabric& fabric, const RunState& state, Cycles max_cycles,
                  const std::atomic<bool>* interrupted, const std::function<void(double)>& progress);

// Whether no process of the kernel will ever run again.
bool kernel_is_silent();

}  // namespace coppice::system
