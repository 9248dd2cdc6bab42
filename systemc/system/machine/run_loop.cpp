#include "system/machine/run_loop.h"

#include <algorithm>

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

Cycles run_to_end(const fabric::Fabric& fabric, const RunState& state, Cycles max_cycles,
                  const std::atomic<bool>* interrupted, const std::function<void(double)>& progress) {
  Cycles cycle = 0;
  while (!(state.complete() && fabric.idle())) {
    if (state.between) state.between();
    const Cycles next = cycle + std::max(kSlice, cycles_to_activity(fabric));
    // Before cycle 0 nobody has started.
    if (cycle > 0 && state.stuck(cycle)) {
      throw ModelError(fmt::format("deadlock at cycle {}: {} and nothing can move\n{}",
                                   fabric.last_movement(), state.how_far(), state.who(cycle)));
    }
    const bool limited = max_cycles > 0 && next > max_cycles && !state.complete();
    cycle = limited ? max_cycles + 1 : next;
    state.run_to(cycle);
    if (interrupted != nullptr && interrupted->load()) {
      throw Interrupted(fmt::format("interrupted at cycle {}", cycle));
    }
    if (progress) progress(state.part());
    if (max_cycles > 0 && cycle > max_cycles && !state.complete()) {
      throw ModelError(fmt::format("cycle limit: at cycle {} (max_cycles) {}", max_cycles, state.how_far()));
    }
  }
  return cycle;
}

}  // namespace coppice::system
