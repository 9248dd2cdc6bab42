#include "schedule/all_to_all/balanced_exchange.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <queue>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "base/index.h"
#include "schedule/compile/compiler.h"
#include "topology/networks/kinds.h"

namespace coppice::schedule {
namespace {

using topology::ChannelId;
using topology::NodeId;

using Way = std::vector<ChannelId>;

class Balancer {
 public:
  explicit Balancer(const topology::Topology& topology)
      : topology_(topology),
        widths_(topology.dims()),
        wraps_(topology::info_of(topology.kind()).wraps),
        load_(topology.channels().size(), 0) {
    for (std::size_t d = 0; d < widths_.size(); ++d) {
      if (widths_[d] > 1) moving_.push_back(d);
    }
    find_neighbours();
  }

  // Returns the path of each block, indexed by [source * n + destination].
  std::vector<Way> run() {
    const NodeId n = topology_.num_accelerators();
    std::vector<Way> ways(index(n) * index(n));
    // The number of passes. Each pass reroutes every block, given the load that all other blocks cause.
    constexpr int kPasses = 3;
    for (int pass = 0; pass < kPasses; ++pass) {
      for (NodeId shift = 1; shift < n; ++shift) {
        for (NodeId source = 0; source < n; ++source) {
          const NodeId destination = (source + shift) % n;
          Way& way = ways[index(source) * index(n) + index(destination)];
          add(way, -1);
          way = best(source, destination);
          add(way, 1);
        }
      }
    }
    return ways;
  }

 private:
  void add(const Way& way, double blocks) {
    for (const ChannelId id : way) load_[index(id)] += blocks / topology_.channel(id).bandwidth.gb_per_s();
  }

  // Returns the path that minimises the load of the busiest channel and, among paths for which this load is
  // equal, the total load.
  Way best(NodeId source, NodeId destination) const {
    Way least;
    std::pair<double, double> cost;
    for (std::size_t rotation = 0; rotation < moving_.size(); ++rotation) {
      for (std::uint32_t turns = 0; turns < 1U << moving_.size(); ++turns) {
        Way way;
        if (!find(source, destination, rotation, turns, way)) continue;
        std::pair<double, double> own{0, 0};
        for (const ChannelId id : way) {
          own.first = std::max(own.first, load_[index(id)]);
          own.second += load_[index(id)];
        }
        if (!least.empty() && own >= cost) continue;
        cost = own;
        least = std::move(way);
      }
    }
    return least;
  }

  // Finds one path for a block. A set bit of `turns` selects the downward direction in a dimension in which
  // both directions are equally long. Returns false if other arguments yield the same path.
  bool find(NodeId source, NodeId destination, std::size_t rotation, std::uint32_t turns, Way& way) const {
    std::vector<int> at = topology_.coordinates(source);
    const std::vector<int> to = topology_.coordinates(destination);
    NodeId node = source;
    for (std::size_t i = 0; i < moving_.size(); ++i) {
      const std::size_t d = moving_[(rotation + i) % moving_.size()];
      const int width = widths_[d];
      const int up = (to[d] - at[d] + width) % width;
      const bool turned = (turns >> ((rotation + i) % moving_.size()) & 1U) != 0;
      bool upwards = to[d] > at[d];
      if (wraps_) {
        if (turned && (up == 0 || 2 * up != width)) return false;
        upwards = 2 * up < width || (2 * up == width && !turned);
      } else if (turned) {
        return false;
      }
      while (at[d] != to[d]) {
        at[d] = (at[d] + (upwards ? 1 : width - 1)) % width;
        const ChannelId id = neighbour(node, d, upwards);
        way.push_back(id);
        node = topology_.channel(id).dst;
      }
    }
    return true;
  }

  // If a dimension of two accelerators has two channels, one of them counts as upward and the other as
  // downward.
  void find_neighbours() {
    neighbours_.assign(index(topology_.num_nodes()) * widths_.size() * 2, -1);
    for (std::size_t id = 0; id < topology_.channels().size(); ++id) {
      const topology::Channel& channel = topology_.channels()[id];
      const std::vector<int> from = topology_.coordinates(channel.src);
      const std::vector<int> to = topology_.coordinates(channel.dst);
      for (std::size_t d = 0; d < widths_.size(); ++d) {
        const int up = (to[d] - from[d] + widths_[d]) % widths_[d];
        if (up == 0) continue;
        ChannelId& upwards = neighbour(channel.src, d, true);
        const bool first = up == 1 && upwards < 0;
        ChannelId& taken = first ? upwards : neighbour(channel.src, d, false);
        taken = static_cast<ChannelId>(id);
        if (widths_[d] == 2 && first) neighbour(channel.src, d, false) = taken;
      }
    }
  }

  ChannelId& neighbour(NodeId node, std::size_t dimension, bool upwards) {
    return neighbours_[(index(node) * widths_.size() + dimension) * 2 + (upwards ? 1 : 0)];
  }
  ChannelId neighbour(NodeId node, std::size_t dimension, bool upwards) const {
    return neighbours_[(index(node) * widths_.size() + dimension) * 2 + (upwards ? 1 : 0)];
  }

  const topology::Topology& topology_;
  std::vector<int> widths_;
  bool wraps_;
  std::vector<std::size_t> moving_;    // dimensions with more than one accelerator
  std::vector<double> load_;           // [channel]: total time of the blocks that use it
  std::vector<ChannelId> neighbours_;  // [node][dimension][upwards]
};

// The time for which a block occupies a channel, and the time from the end of this period until the block can
// be forwarded.
struct BlockTiming {
  Femtoseconds busy = 1;
  Femtoseconds latency = 0;
};

// Returns the timing of each channel. If all channels are equal (`even`), the unit of time is the transfer of
// a block.
std::vector<BlockTiming> timings_of(const topology::Topology& topology, Bytes block, bool even) {
  std::vector<BlockTiming> timings(topology.channels().size());
  for (std::size_t id = 0; id < timings.size() && !even; ++id) {
    const topology::Channel& channel = topology.channels()[id];
    timings[id] = {std::max<Femtoseconds>(transfer_time(block, channel.bandwidth), 1), channel.latency};
  }
  return timings;
}

// Simulates the exchange: each free channel sends the waiting block with the longest remaining path.
std::vector<Send> in_order(const topology::Topology& topology, const std::vector<Way>& ways,
                           const std::vector<BlockTiming>& timings) {
  using Waiting = std::pair<Femtoseconds, std::int32_t>;  // (remaining time, -flow)
  // A time, and what happens then: the block of a flow reaches its next channel or, if the number is
  // negative, channel -1 - number becomes free.
  using Event = std::pair<Femtoseconds, std::int32_t>;
  std::vector<std::priority_queue<Waiting>> waiting(topology.channels().size());
  std::vector<std::uint8_t> busy(topology.channels().size(), 0);
  std::vector<std::size_t> gone(ways.size(), 0);
  std::vector<Femtoseconds> to_go(ways.size(), 0);
  std::set<ChannelId> touched;
  const auto wait = [&](std::int32_t flow) {
    const Way& way = ways[index(flow)];
    if (gone[index(flow)] == way.size()) return;
    const ChannelId next = way[gone[index(flow)]];
    waiting[index(next)].emplace(to_go[index(flow)], -flow);
    touched.insert(next);
  };
  const auto time = [&](ChannelId id) { return timings[index(id)].busy + timings[index(id)].latency; };
  for (std::size_t flow = 0; flow < ways.size(); ++flow) {
    for (const ChannelId id : ways[flow]) to_go[flow] += time(id);
    wait(static_cast<std::int32_t>(flow));
  }
  Femtoseconds step = std::numeric_limits<Femtoseconds>::max();
  for (const BlockTiming& timing : timings) step = std::min(step, timing.busy);
  std::vector<Send> sends;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events;
  Femtoseconds now = 0;
  while (true) {
    for (const ChannelId id : touched) {
      if (busy[index(id)] != 0 || waiting[index(id)].empty()) continue;
      const std::int32_t flow = -waiting[index(id)].top().second;
      waiting[index(id)].pop();
      const topology::Channel& channel = topology.channel(id);
      sends.push_back({.op = Op::kGather,
                       .flow = flow,
                       .src = channel.src,
                       .dst = channel.dst,
                       .step = static_cast<std::int32_t>(now / step) + 1,
                       .channel = id});
      busy[index(id)] = 1;
      events.emplace(now + timings[index(id)].busy, -1 - id);
      events.emplace(now + time(id), flow);
    }
    touched.clear();
    if (events.empty()) return sends;
    now = events.top().first;
    while (!events.empty() && events.top().first == now) {
      const std::int32_t number = events.top().second;
      events.pop();
      if (number < 0) {
        busy[index(-1 - number)] = 0;
        touched.insert(-1 - number);
        continue;
      }
      to_go[index(number)] -= time(ways[index(number)][gone[index(number)]++]);
      wait(number);
    }
  }
}

}  // namespace

BlockExchange balanced_exchange(const topology::Topology& topology, Bytes elements) {
  if (!topology::info_of(topology.kind()).grid) {
    throw UnsupportedError(fmt::format(
        "balanced distributes load over the channels of a torus or mesh, but {} is neither: use direct",
        topology.name()));
  }
  if (is_even_torus(topology)) return torus_exchange(topology, elements);
  const auto channels = topology.channels();
  const bool even = std::ranges::all_of(channels, [&](const topology::Channel& channel) {
    return channel.bandwidth.bytes_per_second == channels.front().bandwidth.bytes_per_second;
  });
  const std::vector<BlockTiming> timings = timings_of(topology, elements * CompileRequest{}.element, even);
  return {.sends = in_order(topology, Balancer(topology).run(), timings), .even = even};
}

}  // namespace coppice::schedule
