#include <algorithm>
#include <limits>

#include "base/index.h"
#include "schedule/packed_trees/busy_times.h"
#include "schedule/packed_trees/piece_schedule.h"

// The steady-state order of pieces, in which every period moves one piece of every tree.
namespace coppice::schedule {
using topology::ChannelId;

namespace {

constexpr std::size_t kMostHops = 4'000;

}  // namespace

// Places hops one at a time, always the hop that can start earliest. Ties are broken in favour of the hop
// whose busiest port or channel has the most remaining work.
std::vector<Femtoseconds> PieceScheduler::places_in_period(Bytes bytes) const {
  const std::size_t channels = topology_.channels().size();
  std::vector<Femtoseconds> left(channels + index(servers_), 0);
  std::vector<Femtoseconds> free(left.size(), 0);
  std::vector<Femtoseconds> busy(channels, 0);
  for (ChannelId id = 0; id < static_cast<ChannelId>(channels); ++id)
    busy[index(id)] = timing_.busy(id, bytes);
  for (const Hop& hop : hops_) {
    left[channels + index(hop.server)] += timing_.busy(hop.path, bytes);
    for (const ChannelId id : hop.path) left[index(id)] += busy[index(id)];
  }
  const auto begin_of = [&](const Hop& hop) {
    Femtoseconds begin = free[channels + index(hop.server)];
    for (std::size_t i = 1; i < hop.path.size(); ++i)
      begin = std::max(begin, free[index(hop.path[i])] - offset(hop, i));
    return begin;
  };
  const auto most_left = [&](const Hop& hop) {
    Femtoseconds most = left[channels + index(hop.server)];
    for (const ChannelId id : hop.path) most = std::max(most, left[index(id)]);
    return most;
  };
  std::vector<Femtoseconds> starts(hops_.size(), 0);
  std::vector<std::size_t> open(hops_.size());
  for (std::size_t h = 0; h < open.size(); ++h) open[h] = h;
  while (!open.empty()) {
    std::size_t best = 0;
    std::pair<Femtoseconds, Femtoseconds> least{std::numeric_limits<Femtoseconds>::max(), 0};
    for (std::size_t i = 0; i < open.size(); ++i) {
      const Hop& hop = hops_[open[i]];
      const std::pair key{begin_of(hop), -most_left(hop)};
      if (key >= least) continue;
      least = key;
      best = i;
    }
    const Hop& hop = hops_[open[best]];
    const Femtoseconds start = least.first;
    starts[open[best]] = start;
    free[channels + index(hop.server)] = start + timing_.busy(hop.path, bytes);
    left[channels + index(hop.server)] -= timing_.busy(hop.path, bytes);
    for (std::size_t i = 0; i < hop.path.size(); ++i) {
      const std::size_t id = index(hop.path[i]);
      free[id] = std::max(free[id], start + offset(hop, i)) + busy[id];
      left[id] -= busy[id];
    }
    open[best] = open.back();
    open.pop_back();
  }
  return starts;
}

std::optional<PieceScheduler::Steady> PieceScheduler::steady_for(Bytes bytes, double spare) const {
  if (hops_.size() > kMostHops || hops_.empty() || bytes == 0) return std::nullopt;
  Steady steady{places_in_period(bytes)};
  std::vector<Femtoseconds> ports(index(servers_), 0);
  std::vector<Femtoseconds> channels(topology_.channels().size(), 0);
  for (const Hop& hop : hops_) {
    ports[index(hop.server)] += timing_.busy(hop.path, bytes);
    for (const ChannelId id : hop.path) channels[index(id)] += timing_.busy(id, bytes);
  }
  steady.period = std::max(std::ranges::max(ports), std::ranges::max(channels));
  const auto late = static_cast<Femtoseconds>(spare * static_cast<double>(steady.period));
  // Moves all starts into the first period without changing their cyclic order.
  for (Femtoseconds& start : steady.starts) start %= steady.period;
  for (std::size_t h = 0; h < hops_.size(); ++h) {
    const Hop& hop = hops_[h];
    const Femtoseconds there = steady.starts[h] + timing_.busy(hop.path, bytes) + hop.delay;
    steady.last = std::max(steady.last, there);
    for (std::int32_t n = hop.first_next; n < hop.end_next; ++n) {
      Femtoseconds& next = steady.starts[index(next_[index(n)])];
      const Femtoseconds early = there + late - next;
      if (early > 0) next += (early + steady.period - 1) / steady.period * steady.period;
    }
  }
  return steady;
}

std::optional<Femtoseconds> PieceScheduler::finish_steady(Bytes bytes, int pieces, double spare) const {
  const auto steady = steady_for(bytes, spare);
  if (!steady) return std::nullopt;
  return steady->last + (pieces - 1) * steady->period;
}

std::optional<PieceSchedule> PieceScheduler::schedule_steady(std::span<const Bytes> bytes, int pieces,
                                                             double spare) const {
  const auto steady = steady_for(bytes.front(), spare);
  if (!steady) return std::nullopt;
  PieceSchedule result;
  result.finish = steady->last + (pieces - 1) * steady->period;
  result.messages.reserve(hops_.size() * index(pieces));
  for (std::int32_t piece = 0; piece < pieces; ++piece) {
    for (std::size_t h = 0; h < hops_.size(); ++h) {
      const Hop& hop = hops_[h];
      if (bytes[index(piece) * index(trees_) + index(hop.tree)] == 0) continue;
      result.messages.push_back({hop.tree, hop.hop, piece, steady->starts[h] + piece * steady->period, 0});
    }
  }
  std::ranges::stable_sort(result.messages, {}, &TimedPiece::start);
  if (pieces > 1) set_steps(result, steady->starts, steady->period);
  return result;
}

}  // namespace coppice::schedule
