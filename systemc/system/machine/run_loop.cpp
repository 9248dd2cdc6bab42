#include "system/machine/run_loop.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include <systemc>

#include "base/error.h"

namespace coppice::system {
namespace {

constexpr Cycles kSlice = 10'000;

Cycles cycles_to_activity(const fabric::Fabric& fabric) {
  if (kernel_is_silent()) return 0;
  return static_cast<Cycles>(sc_core::sc_time_to_pending_activity().value()) / fabric.period() + 1;
}

bool has_ended(const fabric::Fabric& fabric, const RunState& state) {
  return state.ended ? state.ended() : state.complete() && fabric.idle();
}

}  // namespace

bool kernel_is_silent() {
  return !sc_core::sc_pending_activity();
}

Cycles run_to_end(const fabric::Fabric& fabric, const RunState& state, Cycles max_cycles,
                  const std::atomic<bool>* interrupted, const std::function<void(double)>& progress) {
  Cycles now = 0;
  while (!has_ended(fabric, state)) {
    if (state.between) state.between();
    // In cycle 0, no module has announced its next activity yet.
    const Cycles quiet = now > 0 ? cycles_to_activity(fabric) : 0;
    const Cycles look = state.next_look ? state.next_look(now) : std::numeric_limits<Cycles>::max();
    const Cycles next = std::min(look, now + std::max(kSlice, quiet));
    if (now > 0 && state.stuck(now)) {
      throw ModelError(fmt::format("deadlock at cycle {}: {}, and nothing can move\n{}",
                                   fabric.last_movement(), state.how_far(), state.who(now)));
    }
    const bool limited = max_cycles > 0 && next > max_cycles && !state.complete();
    now = limited ? max_cycles + 1 : next;
    state.run_to(now);
    if (interrupted != nullptr && interrupted->load()) {
      throw Interrupted(fmt::format("interrupted at cycle {}", now));
    }
    if (progress) progress(state.part());
    if (max_cycles > 0 && now > max_cycles && !state.complete()) {
      throw ModelError(
          fmt::format("cycle limit reached at cycle {} (max_cycles): {}", max_cycles, state.how_far()));
    }
  }
  return now;
}

}  // namespace coppice::system
