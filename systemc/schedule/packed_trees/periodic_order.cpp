#include <algorithm>
#include <limits>

#include "base/index.h"
#include "schedule/packed_trees/piece_schedule.h"
#include "schedule/packed_trees/timetable.h"

// The periodic order of pieces, which follows a timetable because several ports share channels.
namespace coppice::schedule {
namespace {

// The largest delay that a router may add to a message (schedule/proof/contention.h).
constexpr Femtoseconds kRouterGuard = 20 * kFemtosecondsPerNanosecond;
// Head flits may take up to 1 / kHeadShare of a slot.
constexpr Femtoseconds kHeadShare = 8;
// A period may exceed the load of the busiest resource by this fraction.
constexpr double kSlack = 0.08;

}  // namespace

std::vector<TimetableHop> PieceScheduler::hops_in_slots(Femtoseconds slot) const {
  const auto channels = static_cast<std::int32_t>(topology_.channels().size());
  std::vector<TimetableHop> result;
  result.reserve(hops_.size());
  for (const Hop& hop : hops_) {
    TimetableHop& in_slots = result.emplace_back();
    in_slots.awaits = hop.awaits;
    for (std::int32_t n = hop.first_next; n < hop.end_next; ++n) in_slots.next.push_back(next_[index(n)]);
    // The first channel is not listed, because the port already keeps its messages apart.
    in_slots.uses.push_back({channels + hop.server, 0, 0});
    for (std::size_t i = 1; i < hop.path.size(); ++i) {
      in_slots.uses.push_back({hop.path[i], offset(hop, i), static_cast<std::int32_t>(i)});
    }
    // Data must arrive before the start of the slot that forwards it, for any plausible router delay.
    const Femtoseconds way = hop.delay + static_cast<Femtoseconds>(hop.path.size() + 1) * kRouterGuard;
    const Femtoseconds nominal = slot - slot / kHeadShare;
    in_slots.way = 1 + static_cast<std::int32_t>((way + nominal - 1) / nominal);
  }
  return result;
}

std::optional<PieceScheduler::Slots> PieceScheduler::slots_for(Bytes bytes) const {
  if (hops_.empty() || !in_steps(bytes)) return std::nullopt;
  const Femtoseconds busy = timing_.busy(hops_.front().path, bytes);
  const Femtoseconds slot = (busy + cycle_ - 1) / cycle_ * cycle_;
  for (const Hop& hop : hops_) {
    const auto routers = static_cast<Femtoseconds>(hop.path.size());
    if (slot <= offset(hop, hop.path.size() - 1) + routers * kRouterGuard) return std::nullopt;
  }
  const auto resources = static_cast<std::int32_t>(topology_.channels().size()) + servers_;
  const auto timetable = make_timetable(hops_in_slots(slot), resources, {slot, kRouterGuard}, kSlack);
  if (!timetable) return std::nullopt;
  return Slots{*timetable, slot};
}

Femtoseconds PieceScheduler::finish_of(const Slots& slots, int pieces) const {
  Femtoseconds delay = 0;
  for (const Hop& hop : hops_) delay = std::max(delay, hop.delay);
  return (static_cast<Femtoseconds>(pieces - 1) * slots.timetable.period + slots.timetable.last) *
             slots.time +
         delay;
}

PieceScheduler::Periodic PieceScheduler::finish_periodic(Bytes bytes, int pieces) const {
  const auto slots = slots_for(bytes);
  if (!slots) return {};
  const auto period = static_cast<double>(this->period(bytes));
  const auto slot = static_cast<double>(slots->time);
  return {finish_of(*slots, pieces), slot * slots->timetable.period / period,
          slot * slots->timetable.last / period};
}

std::optional<PieceSchedule> PieceScheduler::schedule_periodic(std::span<const Bytes> bytes,
                                                               int pieces) const {
  const Bytes longest = std::ranges::max(bytes);
  const auto slots = slots_for(longest);
  if (!slots) return std::nullopt;
  PieceSchedule result;
  result.finish = finish_of(*slots, pieces);
  result.in_steps = true;
  result.period_steps = slots->timetable.period;
  result.step_time = slots->time;
  for (std::size_t h = 0; h < hops_.size(); ++h) {
    for (std::int32_t piece = 0; piece < pieces; ++piece) {
      if (bytes[index(piece) * index(trees_) + index(hops_[h].tree)] == 0) continue;
      const std::int32_t slot = slots->timetable.starts[h] + piece * slots->timetable.period;
      result.messages.push_back({hops_[h].tree, hops_[h].hop, piece, slot * slots->time, slot + 1});
    }
  }
  std::ranges::stable_sort(result.messages, {}, &TimedPiece::step);
  return result;
}

}  // namespace coppice::schedule
