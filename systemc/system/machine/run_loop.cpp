#include "system/machine/run_loop.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include <systemc>

#include "base/error.h"

namespace coppice::system {
namespace {

constexpr Cycles kSlice = 10'000;

// Nothing happens in between.
Cycles cycles_to_activity(const fabric::Fabric& fabric) {
  if (kernel_is_silent()) return 0;
  return static_cast<Cycles>(sc_core::sc_time_to_pending_activity().value()) / fabric.period() + 1;
}

}  // namespace

bool kernel_is_silent() {
  return !sc_core::sc_pending_activity();
}

void RunLoop::advance(Cycles at_most) {
  const RunState& state = *state_;
  if (state.between) state.between();
  // Before cycle 0 nobody has started, or said what is to come.
  const Cycles quiet = now_ > 0 ? cycles_to_activity(*fabric_) : 0;
  const Cycles next = std::min(at_most, now_ + std::max(slice_, quiet));
  if (now_ > 0 && state.stuck(now_)) {
    throw ModelError(fmt::format("deadlock at cycle {}: {} and nothing can move\n{}",
                                 fabric_->last_movement(), state.how_far(), state.who(now_)));
  }
  const bool limited = max_cycles_ > 0 && next > max_cycles_ && !state.complete();
  now_ = limited ? max_cycles_ + 1 : next;
  state.run_to(now_);
  if (interrupted_ != nullptr && interrupted_->load()) {
    throw Interrupted(fmt::format("interrupted at cycle {}", now_));
  }
  if (*progress_) (*progress_)(state.part());
  if (max_cycles_ > 0 && now_ > max_cycles_ && !state.complete()) {
    throw ModelError(fmt::format("cycle limit: at cycle {} (max_cycles) {}", max_cycles_, state.how_far()));
  }
}

Cycles run_to_end(const fabric::Fabric& fabric, const RunState& state, Cycles max_cycles,
                  const std::atomic<bool>* interrupted, const std::function<void(double)>& progress) {
  RunLoop loop(fabric, state, kSlice, max_cycles, interrupted, progress);
  while (!(state.complete() && fabric.idle())) loop.advance(std::numeric_limits<Cycles>::max());
  return loop.now();
}

}  // namespace coppice::system
