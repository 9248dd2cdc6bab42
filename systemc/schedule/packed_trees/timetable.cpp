#include "schedule/packed_trees/timetable.h"
#include "base/index.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>
#include <queue>
#include <utility>

namespace coppice::schedule {
namespace {

// The maximum number of placements, as a multiple of the number of hops.
constexpr std::int64_t kPlacings = 8;
constexpr int kPeriods = 5;  // approximate number of periods tried
// minimum difference between the longest and the shortest period tried
constexpr std::int32_t kMoreSlots = 3;

// The indices of all hops, each after the hops for which it waits.
std::vector<std::size_t> in_order(std::span<const TimetableHop> hops) {
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
  return order;
}

// Groups the uses of all hops into places. A place is a resource together with the time from a message's
// start until the message reaches the resource.
class Places {
 public:
  // Another place of the same resource. `by` states whether a message that uses it collides if the message
  // starts one slot earlier, in the same slot, or one slot later.
  struct Near {
    std::int32_t place;
    std::array<bool, 3> by;
  };

  Places(std::span<const TimetableHop> hops, std::int32_t resources, const Distance& distance) {
    struct Holding {
      std::int32_t place;
      const TimetableHop::Use* use;
    };
    std::vector<std::vector<Holding>> kinds(index(resources));
    of_hop_.resize(hops.size());
    for (std::size_t h = 0; h < hops.size(); ++h) {
      for (const TimetableHop::Use& use : hops[h].uses) {
        auto& known = kinds[index(use.resource)];
        auto kind = std::ranges::find_if(known, [&](const Holding& other) {
          return other.use->offset == use.offset && other.use->routers == use.routers;
        });
        if (kind == known.end()) kind = known.insert(known.end(), {count_++, &use});
        of_hop_[h].push_back(kind->place);
      }
    }
    near_.resize(index(count_));
    for (const auto& known : kinds) {
      for (const Holding& a : known) {
        for (const Holding& b : known) {
          const auto near = [&](std::int32_t by) {
            return by == 0 || too_near(*a.use, *b.use, by, distance);
          };
          near_[index(a.place)].push_back({b.place, {near(-1), near(0), near(1)}});
        }
      }
    }
  }

  std::int32_t count() const { return count_; }
  std::span<const std::int32_t> of_hop(std::size_t h) const { return of_hop_[h]; }
  // All places that have the same resource as `place`, including `place` itself.
  std::span<const Near> near(std::int32_t place) const { return near_[index(place)]; }

 private:
  // Whether use `b` is too close to use `a` if the message of `b` starts `by` slots after that of `a`.
  static bool too_near(const TimetableHop::Use& a, const TimetableHop::Use& b, std::int32_t by,
                       const Distance& distance) {
    if (distance.slot == 0) return false;
    const Femtoseconds apart = by * distance.slot + b.offset - a.offset;
    return std::abs(apart) < distance.slot + distance.guard * std::abs(b.routers - a.routers);
  }

  std::int32_t count_ = 0;
  std::vector<std::vector<std::int32_t>> of_hop_;
  std::vector<std::vector<Near>> near_;  // [place]: the places of the same resource
};

// One attempt to place all hops in a period.
class Placement {
 public:
  Placement(std::span<const TimetableHop> hops, const Places& places, std::span<const std::int32_t> left,
            std::int32_t period)
      : hops_(hops),
        places_(places),
        left_(left),
        period_(period),
        taken_(index(places.count()) * index(period), kNone),
        costs_(index(places.count()) * index(period), 0),
        sums_(index(period), 0),
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

  // The timetable in which every hop keeps its slot of the period and starts as early as its data allows.
  Timetable timetable() const {
    Timetable result{.period = period_, .starts = std::vector<std::int32_t>(hops_.size(), 0)};
    std::vector<std::int32_t> ready(hops_.size(), 0);
    for (const std::size_t h : in_order(hops_)) {
      const std::int32_t turn = (starts_[h] - ready[h]) % period_;
      const std::int32_t start = ready[h] + (turn < 0 ? turn + period_ : turn);
      result.starts[h] = start;
      result.last = std::max(result.last, start + 1);
      for (const std::int32_t next : hops_[h].next) {
        ready[index(next)] = std::max(ready[index(next)], start + hops_[h].way);
      }
    }
    return result;
  }

 private:
  static constexpr std::int32_t kNone = -1;
  using Urgent = std::pair<std::int32_t, std::int32_t>;  // {ready slot minus remaining slots, hop}

  void push(std::size_t h) { urgent_.emplace(ready_[h] - left_[h], static_cast<std::int32_t>(h)); }

  std::size_t at(std::int32_t place, std::int32_t slot) const {
    return index(place) * index(period_) + index(slot);
  }
  std::int32_t neighbour(std::int32_t slot, std::int32_t by) const {
    slot += by;
    if (slot < 0) return slot + period_;
    return slot < period_ ? slot : slot - period_;
  }

  // Computes the cost of each slot for hop h. The cost counts the hops that h would displace, each weighted
  // by 1 plus the number of times it has already been displaced. A slot of cost 0 is free.
  void sum_costs(std::size_t h) {
    std::ranges::fill(sums_, 0);
    for (const std::int32_t place : places_.of_hop(h)) {
      const std::int32_t* costs = &costs_[at(place, 0)];
      for (std::size_t slot = 0; slot < sums_.size(); ++slot) sums_[slot] += costs[slot];
    }
  }

  // The cheapest slot within one period after the hop's data has arrived; the earliest if several are equally
  // cheap.
  std::int32_t cheapest(std::size_t h) const {
    const std::int32_t first = ready_[h] % period_;
    std::int32_t best = first;
    for (std::int32_t slot = first; slot < period_ && sums_[index(best)] > 0; ++slot) {
      if (sums_[index(slot)] < sums_[index(best)]) best = slot;
    }
    for (std::int32_t slot = 0; slot < first && sums_[index(best)] > 0; ++slot) {
      if (sums_[index(slot)] < sums_[index(best)]) best = slot;
    }
    return ready_[h] + (best >= first ? best - first : best - first + period_);
  }

  void place(std::size_t h) {
    sum_costs(h);
    const std::int32_t start = cheapest(h);
    if (sums_[index(start % period_)] > 0) displace(h, start % period_);
    starts_[h] = start;
    fill(h, 1);
  }

  // Displaces all hops that collide with hop h in slot `slot` of the period, and queues them to be placed
  // again.
  void displace(std::size_t h, std::int32_t slot) {
    for (const std::int32_t place : places_.of_hop(h)) {
      for (const Places::Near& near : places_.near(place)) {
        for (std::int32_t by = -1; by <= 1; ++by) {
          if (!near.by[index(by + 1)]) continue;
          const std::int32_t other = taken_[at(near.place, neighbour(slot, by))];
          if (other == kNone) continue;
          fill(index(other), -1);
          starts_[index(other)] = kNone;
          ++evictions_[index(other)];
          push(index(other));
        }
      }
    }
  }

  // Occupies the slots of hop h, or frees them if `sign` is -1.
  void fill(std::size_t h, std::int32_t sign) {
    const std::int32_t slot = starts_[h] % period_;
    const std::int32_t cost = sign * (1 + evictions_[h]);
    for (const std::int32_t place : places_.of_hop(h)) {
      taken_[at(place, slot)] = sign > 0 ? static_cast<std::int32_t>(h) : kNone;
      for (const Places::Near& near : places_.near(place)) {
        for (std::int32_t by = -1; by <= 1; ++by) {
          if (near.by[index(by + 1)]) costs_[at(near.place, neighbour(slot, by))] += cost;
        }
      }
    }
  }

  std::span<const TimetableHop> hops_;
  const Places& places_;
  std::span<const std::int32_t> left_;  // [hop]: slots from the hop's start until its last successor is done
  std::int32_t period_;
  std::vector<std::int32_t> taken_;  // [place * period + slot]: the hop that occupies it
  // [place * period + slot]: cost of displacing all hops that collide there
  std::vector<std::int32_t> costs_;
  std::vector<std::int32_t> sums_;  // [slot]: total cost over all places of the current hop
  std::vector<std::int32_t> starts_;
  std::vector<std::int32_t> ready_;
  std::vector<std::int32_t> evictions_;
  std::priority_queue<Urgent, std::vector<Urgent>, std::greater<>> urgent_;
};

// [hop]: slots from the hop's start until all its direct and indirect successors are done. Hops may be in any
// order.
std::vector<std::int32_t> slots_left(std::span<const TimetableHop> hops) {
  const std::vector<std::size_t> order = in_order(hops);
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
  // If messages must keep a distance, the slots before and after a slot must differ.
  const std::int32_t least = std::max(std::ranges::max(load), distance.slot > 0 ? 3 : 1);
  const auto most = least + std::max(static_cast<std::int32_t>(slack * least), kMoreSlots);
  const std::vector<std::int32_t> left = slots_left(hops);
  const std::int32_t step = std::max((most - least) / kPeriods, 1);
  const Places places(hops, resources, distance);
  for (std::int32_t period = least; period <= most; period += step) {
    Placement placement(hops, places, left, period);
    if (placement.run()) return placement.timetable();
  }
  return std::nullopt;
}

}  // namespace coppice::schedule
