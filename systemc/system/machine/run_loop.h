#pragma once

#include <atomic>
#include <functional>
#include <stdexcept>
#include <string>

#include "base/units.h"
#include "system/machine/machine.h"

namespace coppice::system {

// The user asked to stop (Ctrl-C): exit status 130.
class Interrupted : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// How far what a machine runs has come. All are asked between slices of its time.
struct RunState {
  std::function<bool()> complete;
  std::function<double()> part;            // of the work, from 0 to 1
  std::function<std::string()> how_far;    // "3 of 5 messages are done", for a run that ends too soon
  std::function<bool(Cycles)> stuck;       // in this cycle: nothing will ever move again
  std::function<std::string(Cycles)> who;  // waits for what, a line each, where it is stuck
  std::function<void()> between;           // what else is to be done; empty: nothing
};

// Runs the machine in slices until all is complete and the fabric is idle; returns the cycle after the last
// one. Throws Interrupted, ModelError where it is stuck (a deadlock) or beyond `max_cycles` (0: no limit),
// and what the modules throw. `interrupted` and `progress` may be empty.
Cycles run_to_end(Machine& machine, const RunState& state, Cycles max_cycles,
                  const std::atomic<bool>* interrupted, const std::function<void(double)>& progress);

// Whether no process of the kernel is ever going to run again.
bool kernel_is_silent();

}  // namespace coppice::system
