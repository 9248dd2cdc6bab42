#pragma once

#include <atomic>
#include <functional>
#include <string>

#include "base/units.h"
#include "fabric/fabric.h"
#include "system/process/interrupted.h"

namespace coppice::system {

// How far what runs on a fabric has come. All are asked between slices of its time.
struct RunState {
  std::function<void(Cycles)> run_to;  // lets the kernel run until this cycle; throws what the modules throw
  std::function<bool()> complete;
  std::function<double()> part;            // of the work, from 0 to 1
  std::function<std::string()> how_far;    // "3 of 5 messages are done", for a run that ends too soon
  std::function<bool(Cycles)> stuck;       // in this cycle: nothing will ever move again
  std::function<std::string(Cycles)> who;  // waits for what, a line each, where it is stuck
  std::function<void()> between;           // what else is to be done; empty: nothing
};

// Runs what is on a fabric slice by slice of its time, and looks at it in between. What it is given outlives
// it; `interrupted` and `progress` may be empty.
class RunLoop {
 public:
  // Slices of `slice` cycles, or up to the next thing that happens where nothing does for longer.
  // `max_cycles`: 0 is no limit.
  RunLoop(const fabric::Fabric& fabric, const RunState& state, Cycles slice, Cycles max_cycles,
          const std::atomic<bool>* interrupted, const std::function<void(double)>& progress)
      : fabric_(&fabric),
        state_(&state),
        slice_(slice),
        max_cycles_(max_cycles),
        interrupted_(interrupted),
        progress_(&progress) {}

  // Runs to this cycle exactly; throws as run_to_end does.
  void run_until(Cycles cycle) {
    while (now_ < cycle) advance(cycle);
  }
  // Runs a slice, which ends at `at_most` if it would go beyond.
  void advance(Cycles at_most);
  Cycles now() const { return now_; }

 private:
  const fabric::Fabric* fabric_;
  const RunState* state_;
  Cycles slice_;
  Cycles max_cycles_;
  const std::atomic<bool>* interrupted_;
  const std::function<void(double)>* progress_;
  Cycles now_ = 0;
};

// Runs in slices until all is complete and the fabric is idle; returns the cycle after the last one. Throws
// Interrupted, ModelError where it is stuck (a deadlock) or beyond `max_cycles` (0: no limit), and what the
// modules throw. `interrupted` and `progress` may be empty.
Cycles run_to_end(const fabric::Fabric& fabric, const RunState& state, Cycles max_cycles,
                  const std::atomic<bool>* interrupted, const std::function<void(double)>& progress);

// Whether no process of the kernel is ever going to run again.
bool kernel_is_silent();

}  // namespace coppice::system
