#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>
#include <utility>

#include "base/index.h"
#include "schedule/packed_trees/busy_times.h"
#include "schedule/packed_trees/piece_schedule.h"

// Repeating orders of pieces (modulo scheduling): every hop sends piece p one period after piece p - 1, and
// every port serves its hops in the same cyclic order in each period.
namespace coppice::schedule {
namespace {

constexpr int kFewestPieces = 4;
// Orders are compared by how long they take to send kFillings times as many pieces as fill the network.
constexpr int kFillings = 3;
// The maximum time of a repeating order, relative to that of a non-repeating order. The limit is higher if
// the number of pieces is given, because tables should be small even with many pieces.
constexpr double kMostLonger = 1;
constexpr double kMostLongerIfGiven = 1.25;
constexpr std::uint64_t kSeed = 1;
// The number of attempts to find timesteps; each attempt doubles the number of timesteps per period.
constexpr int kStepTries = 6;
constexpr int kSweeps = 400;

std::int64_t floor_div(std::int64_t a, std::int64_t b) {
  return a / b - (a % b < 0 ? 1 : 0);
}

}  // namespace

// Assigns every hop to one of a fixed number of slots in its port's period: the first free slot after the
// hop's data has arrived.
std::vector<Femtoseconds> PieceScheduler::place_in_period(Bytes bytes, const Placing& placing,
                                                          Random& random) const {
  const Femtoseconds period = this->period(bytes);
  const std::vector<Femtoseconds> left = remaining(std::vector<Bytes>(index(trees_), bytes));
  std::vector<Femtoseconds> busy(index(servers_), 0);
  for (const Hop& hop : hops_) {
    busy[index(hop.server)] = std::max(busy[index(hop.server)], timing_.busy(hop.path, bytes));
  }
  std::vector<std::int64_t> load(index(servers_), 0);
  for (const Hop& hop : hops_) ++load[index(hop.server)];
  std::vector<std::vector<bool>> taken(index(servers_));
  for (std::size_t s = 0; s < taken.size(); ++s) {
    if (load[s] > 0) taken[s].resize(index(std::max(period / busy[s], load[s])));
  }
  using Urgent = std::pair<Femtoseconds, std::int32_t>;
  std::priority_queue<Urgent, std::vector<Urgent>, std::greater<>> urgent;
  std::vector<Femtoseconds> ready(hops_.size(), 0);
  std::vector<std::int32_t> missing(hops_.size());
  const auto push = [&](std::size_t h) {
    const double key = static_cast<double>(ready[h]) - placing.weight * static_cast<double>(left[h]) +
                       placing.chance * static_cast<double>(period) * random.uniform();
    urgent.emplace(static_cast<Femtoseconds>(key), static_cast<std::int32_t>(h));
  };
  for (std::size_t h = 0; h < hops_.size(); ++h) {
    missing[h] = hops_[h].awaits;
    if (missing[h] == 0) push(h);
  }
  std::vector<Femtoseconds> starts(hops_.size(), 0);
  while (!urgent.empty()) {
    const std::size_t h = index(urgent.top().second);
    urgent.pop();
    const Hop& hop = hops_[h];
    std::vector<bool>& places = taken[index(hop.server)];
    const auto count = static_cast<std::int64_t>(places.size());
    std::int64_t place = (ready[h] * count + period - 1) / period;
    while (places[index(place % count)]) ++place;
    places[index(place % count)] = true;
    starts[h] = (place * period + count - 1) / count;
    const Femtoseconds there = starts[h] + timing_.busy(hop.path, bytes) + hop.delay;
    for (std::int32_t n = hop.first_next; n < hop.end_next; ++n) {
      const std::size_t next = index(next_[index(n)]);
      ready[next] = std::max(ready[next], there);
      if (--missing[next] == 0) push(next);
    }
  }
  return starts;
}

PieceSchedule PieceScheduler::repeat(std::span<const Bytes> bytes, std::span<const Femtoseconds> starts,
                                     int pieces, Femtoseconds limit) const {
  const Femtoseconds period = this->period(bytes.front());
  const std::size_t hops = hops_.size();
  // The messages of a period are sorted once, because their order is the same in all periods.
  const Femtoseconds least = std::ranges::min(starts);
  std::vector<std::int32_t> cycle(hops);
  std::iota(cycle.begin(), cycle.end(), 0);
  const auto within = [&](std::int32_t h) { return (starts[index(h)] - least) % period; };
  std::ranges::stable_sort(cycle, {}, [&](std::int32_t h) { return std::pair{within(h), starts[index(h)]}; });
  Femtoseconds turns = 0;
  for (const Femtoseconds start : starts) turns = std::max(turns, (start - least) / period);
  std::vector<Femtoseconds> ready(hops * index(pieces), 0);
  std::vector<Femtoseconds> free(index(servers_), 0);
  PieceSchedule result;
  result.messages.reserve(ready.size());
  BusyTimes busy(timing_, paces_);
  for (std::int32_t turn = 0; turn < static_cast<std::int32_t>(turns) + pieces && result.finish <= limit;
       ++turn) {
    for (const std::int32_t h : cycle) {
      const auto piece = turn - static_cast<std::int32_t>((starts[index(h)] - least) / period);
      if (piece < 0 || piece >= pieces) continue;
      const Hop& hop = hops_[index(h)];
      const Bytes length = bytes[index(piece) * index(trees_) + index(hop.tree)];
      if (length == 0) continue;
      const Femtoseconds start = std::max(free[index(hop.server)], ready[index(piece) * hops + index(h)]);
      const Femtoseconds end = start + busy(hop.pace, length);
      free[index(hop.server)] = end;
      for (std::int32_t n = hop.first_next; n < hop.end_next; ++n) {
        Femtoseconds& there = ready[index(piece) * hops + index(next_[index(n)])];
        there = std::max(there, end + hop.delay);
      }
      result.finish = std::max(result.finish, end + hop.delay);
      result.messages.push_back({hop.tree, hop.hop, piece, start, 0});
    }
  }
  return result;
}

// Finds the earliest steps such that data arrives at least one step before it is forwarded and every port
// keeps its order. Repeatedly sweeps over all hops and moves the successors of each hop to later steps where
// necessary.
std::vector<std::int32_t> PieceScheduler::steps_of(std::span<const Femtoseconds> starts, Femtoseconds period,
                                                   std::int32_t period_steps) const {
  struct After {
    std::int32_t hop;
    std::int32_t steps;
  };
  std::vector<std::vector<After>> after(hops_.size());
  std::vector<std::vector<std::int32_t>> of_port(index(servers_));
  for (std::size_t h = 0; h < hops_.size(); ++h) {
    for (std::int32_t n = hops_[h].first_next; n < hops_[h].end_next; ++n)
      after[h].push_back({next_[index(n)], 1});
    of_port[index(hops_[h].server)].push_back(static_cast<std::int32_t>(h));
  }
  const auto turn = [&](std::int32_t h) {
    return static_cast<std::int32_t>(floor_div(starts[index(h)], period));
  };
  for (auto& hops : of_port) {
    std::ranges::stable_sort(hops, {}, [&](std::int32_t h) {
      return std::pair{starts[index(h)] - turn(h) * period, starts[index(h)]};
    });
    for (std::size_t i = 0; i < hops.size(); ++i) {
      const bool last = i + 1 == hops.size();
      const std::int32_t next = hops[last ? 0 : i + 1];
      const std::int32_t turns = turn(next) - turn(hops[i]) - (last ? 1 : 0);
      if (next != hops[i]) after[index(hops[i])].push_back({next, turns * period_steps + 1});
    }
  }
  std::vector<std::int32_t> by_start(hops_.size());
  std::iota(by_start.begin(), by_start.end(), 0);
  std::ranges::stable_sort(by_start, {}, [&](std::int32_t h) { return starts[index(h)]; });
  std::vector<std::int32_t> steps(hops_.size(), 1);
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    bool changed = false;
    for (const std::int32_t h : by_start) {
      for (const After& next : after[index(h)]) {
        const std::int32_t least = steps[index(h)] + next.steps;
        if (steps[index(next.hop)] >= least) continue;
        steps[index(next.hop)] = least;
        changed = true;
      }
    }
    if (!changed) return steps;
  }
  return {};
}

PieceSchedule PieceScheduler::schedule_repeating(std::span<const Bytes> bytes, const PieceOrder& order,
                                                 bool given) const {
  PieceSchedule plain = schedule(bytes, order);
  if (plain.in_steps || shares_channels_ || order.pieces < kFewestPieces) return plain;
  const Femtoseconds period = this->period(bytes.front());
  if (period == 0) return plain;  // all pieces before the last are empty
  const auto filling = static_cast<int>(latency(bytes.front()) / period) + 2;
  const int tried = std::min(order.pieces, kFillings * filling);
  const std::vector<Bytes> alike(index(tried) * index(trees_), bytes.front());
  constexpr Placing kPlacings[] = {{0, 0},     {1, 0},   {100, 0},   {100, 0.2},
                                   {100, 0.5}, {100, 1}, {100, 0.5}, {1, 0.5}};
  Random random(kSeed);
  const auto most = static_cast<Femtoseconds>((given ? kMostLongerIfGiven : kMostLonger) *
                                              static_cast<double>(plain.finish));
  // Every additional piece takes one period, except the last, which may be shorter.
  Femtoseconds least = most - (order.pieces - tried - 1) * period;
  std::vector<Femtoseconds> starts;
  for (const Placing& placing : kPlacings) {
    std::vector<Femtoseconds> placed = place_in_period(bytes.front(), placing, random);
    const Femtoseconds finish = repeat(alike, placed, tried, least).finish;
    if (finish >= least) continue;
    starts = std::move(placed);
    least = finish;
  }
  if (starts.empty()) return plain;
  PieceSchedule repeating = repeat(bytes, starts, order.pieces, most);
  if (repeating.finish > most) return plain;
  return set_steps(repeating, starts, period) ? repeating : plain;
}

bool PieceScheduler::set_steps(PieceSchedule& order, std::span<const Femtoseconds> starts,
                               Femtoseconds period) const {
  std::vector<std::int32_t> load(index(servers_), 0);
  for (const Hop& hop : hops_) ++load[index(hop.server)];
  std::vector<std::int32_t> first(index(trees_), 0);  // [tree]: index of the tree's first hop
  for (std::size_t h = hops_.size(); h-- > 0;) first[index(hops_[h].tree)] = static_cast<std::int32_t>(h);
  std::int32_t period_steps = std::ranges::max(load);
  for (int attempt = 0; attempt < kStepTries; ++attempt, period_steps *= 2) {
    const std::vector<std::int32_t> steps = steps_of(starts, period, period_steps);
    if (steps.empty()) continue;
    for (TimedPiece& message : order.messages) {
      message.step = steps[index(first[index(message.tree)] + message.hop)] + message.piece * period_steps;
    }
    order.period_steps = period_steps;
    return true;
  }
  return false;
}

}  // namespace coppice::schedule
