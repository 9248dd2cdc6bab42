#include "schedule/packed_trees/timetable.h"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <limits>
#include <queue>
#include <utility>

namespace coppice::schedule {
namespace {

// Hops that are placed at most, over how many there are.
constexpr std::int64_t kPlacings = 8;
constexpr int kPeriods = 5;             // that are tried
constexpr std::int32_t kMoreSlots = 3;  // than the least that a period may have at least

std::size_t index(std::int64_t number) {
  return static_cast<std::size_t>(number);
}

// One try with one period.
class Placement {
 public:
  Placement(std::span<const TimetableHop> hops, std::int32_t resources, const Distance& distance,
            std::span<const std::int32_t> left, std::int32_t period)
      : hops_(hops),
        distance_(distance),
        left_(left),
        period_(period),
        taken_(index(resources) * index(period), kNone),
        starts_(hops.size(), kNone),
        ready_(hops.size(), 0),
        evictions_(hops.size(), 0) {}

  bool run() {
    std::vector<std::int32_t> missing(hops_.size());
    for (std::size_t h = 0; h < hops_.size(); ++h) {
      missing[h] = hops_[h].awaits;
      if (missing[h] == 0) push(h);
    }
    std::vector<bool> known(hops_.size(), false);
    std::int64_t tries = kPlacings * static_cast<std::int64_t>(hops_.size());
    while (!urgent_.empty()) {
      if (--tries < 0) return false;
      const std::size_t h = index(urgent_.top().second);
      urgent_.pop();
      place(h);
      if (known[h]) continue;
      known[h] = true;
      for (const std::int32_t next : hops_[h].next) {
        ready_[index(next)] = std::max(ready_[index(next)], starts_[h] + hops_[h].way);
        if (--missing[index(next)] == 0) push(index(next));
      }
    }
    return true;
  }

  // Every hop in its slot of a period, as early as its data allows.
  Timetable timetable() const {
    Timetable result{.period = period_, .starts = std::vector<std::int32_t>(hops_.size(), 0)};
    std::vector<std::int32_t> ready(hops_.size(), 0);
    std::vector<std::int32_t> missing(hops_.size());
    std::vector<std::size_t> order;
    for (std::size_t h = 0; h < hops_.size(); ++h) {
      missing[h] = hops_[h].awaits;
      if (missing[h] == 0) order.push_back(h);
    }
    for (std::size_t i = 0; i < order.size(); ++i) {
      const std::size_t h = order[i];
      const std::int32_t turn = (starts_[h] - ready[h]) % period_;
      const std::int32_t start = ready[h] + (turn < 0 ? turn + period_ : turn);
      result.starts[h] = start;
      result.last = std::max(result.last, start + 1);
      for (const std::int32_t next : hops_[h].next) {
        ready[index(next)] = std::max(ready[index(next)], start + hops_[h].way);
        if (--missing[index(next)] == 0) order.push_back(index(next));
      }
    }
    return result;
  }

 private:
  static constexpr std::int32_t kNone = -1;
  using Urgent = std::pair<std::int32_t, std::int32_t>;  // less what is left to do, and a hop

  void push(std::size_t h) { urgent_.emplace(ready_[h] - left_[h], static_cast<std::int32_t>(h)); }

  std::int32_t& taken(std::int32_t resource, std::int32_t slot) {
    const std::int32_t within = slot % period_;
    return taken_[index(resource) * index(period_) + index(within < 0 ? within + period_ : within)];
  }

  bool too_near(const TimetableHop::Use& use, std::int32_t other, std::int32_t resource,
                std::int32_t slots) const {
    for (const TimetableHop::Use& its : hops_[index(other)].uses) {
      if (its.resource != resource) continue;
      const Femtoseconds apart = slots * distance_.slot + its.offset - use.offset;
      return std::abs(apart) < distance_.slot + distance_.guard * std::abs(its.routers - use.routers);
    }
    return false;
  }

  // Calls `visit` with the hops in the way of hop h at `slot`, some of them several times, until it says
  // false.
  template <typename Visit>
  void visit_conflicts(std::size_t h, std::int32_t slot, Visit visit) {
    for (const TimetableHop::Use& use : hops_[h].uses) {
      const std::int32_t there = taken(use.resource, slot);
      if (there != kNone && !visit(there)) return;
      if (distance_.slot == 0) continue;
      for (const std::int32_t by : {-1, 1}) {
        const std::int32_t other = taken(use.resource, slot + by);
        if (other == kNone || other == static_cast<std::int32_t>(h)) continue;
        if (too_near(use, other, use.resource, by) && !visit(other)) return;
      }
    }
  }

  bool is_free(std::size_t h, std::int32_t slot) {
    bool free = true;
    visit_conflicts(h, slot, [&](std::int32_t) { return free = false; });
    return free;
  }

  // What it costs to send others away: those are the dearer the more often they have been.
  std::int64_t cost(std::size_t h, std::int32_t slot, std::int64_t most) {
    std::int64_t sum = 0;
    visit_conflicts(h, slot, [&](std::int32_t other) {
      sum += 1 + evictions_[index(other)];
      return sum < most;
    });
    return sum;
  }

  void place(std::size_t h) {
    const std::int32_t first = ready_[h];
    for (std::int32_t slot = first; slot < first + period_; ++slot) {
      if (!is_free(h, slot)) continue;
      put(h, slot);
      return;
    }
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    std::int32_t best = first;
    for (std::int32_t slot = first; slot < first + period_; ++slot) {
      const std::int64_t here = cost(h, slot, least);
      if (here >= least) continue;
      least = here;
      best = slot;
    }
    std::vector<std::int32_t> others;
    visit_conflicts(h, best, [&](std::int32_t other) {
      others.push_back(other);
      return true;
    });
    for (const std::int32_t other : others) {
      if (starts_[index(other)] == kNone) continue;
      clear(index(other));
      ++evictions_[index(other)];
      push(index(other));
    }
    put(h, best);
  }

  void put(std::size_t h, std::int32_t slot) {
    starts_[h] = slot;
    fill(h, static_cast<std::int32_t>(h));
  }
  void clear(std::size_t h) {
    fill(h, kNone);
    starts_[h] = kNone;
  }
  void fill(std::size_t h, std::int32_t with) {
    for (const TimetableHop::Use& use : hops_[h].uses) taken(use.resource, starts_[h]) = with;
  }

  std::span<const TimetableHop> hops_;
  Distance distance_;
  std::span<const std::int32_t> left_;  // [hop] slots to do after it
  std::int32_t period_;
  std::vector<std::int32_t> taken_;  // [resource * period + slot]: a hop
  std::vector<std::int32_t> starts_;
  std::vector<std::int32_t> ready_;
  std::vector<std::int64_t> evictions_;
  std::priority_queue<Urgent, std::vector<Urgent>, std::greater<>> urgent_;
};

// [hop] slots from its start until all that waits for it is done; hops may be in any order.
std::vector<std::int32_t> slots_left(std::span<const TimetableHop> hops) {
  std::vector<std::int32_t> missing(hops.size());
  std::vector<std::size_t> order;
  for (std::size_t h = 0; h < hops.size(); ++h) {
    missing[h] = hops[h].awaits;
    if (missing[h] == 0) order.push_back(h);
  }
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (const std::int32_t next : hops[order[i]].next) {
      if (--missing[index(next)] == 0) order.push_back(index(next));
    }
  }
  std::vector<std::int32_t> left(hops.size(), 0);
  for (std::size_t i = order.size(); i-- > 0;) {
    const std::size_t h = order[i];
    for (const std::int32_t next : hops[h].next) left[h] = std::max(left[h], left[index(next)]);
    left[h] += hops[h].way;
  }
  return left;
}

}  // namespace

std::optional<Timetable> make_timetable(std::span<const TimetableHop> hops, std::int32_t resources,
                                        const Distance& distance, double slack) {
  std::vector<std::int32_t> load(index(resources), 0);
  for (const TimetableHop& hop : hops) {
    for (const TimetableHop::Use& use : hop.uses) ++load[index(use.resource)];
  }
  if (load.empty()) return std::nullopt;
  // Neighbours on either side have to be two where messages keep apart.
  const std::int32_t least = std::max(std::ranges::max(load), distance.slot > 0 ? 3 : 1);
  const auto most = least + std::max(static_cast<std::int32_t>(slack * least), kMoreSlots);
  const std::vector<std::int32_t> left = slots_left(hops);
  const std::int32_t step = std::max((most - least) / kPeriods, 1);
  for (std::int32_t period = least; period <= most; period += step) {
    Placement placement(hops, resources, distance, left, period);
    if (placement.run()) return placement.timetable();
  }
  return std::nullopt;
}

}  // namespace coppice::schedule
