#include "schedule/all_to_all/torus_exchange.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/edge_coloring.h"
#include "topology/networks/kinds.h"

namespace coppice::schedule {
namespace {

using topology::NodeId;

// Returns how many hops all parts of the blocks from one accelerator make in the busiest direction. Blocks
// for the opposite side of a ring alternate between the two directions.
int busiest_hops(const topology::Topology& topology, int parts) {
  int most = 0;
  for (const int width : topology.dims()) {
    const int rows = topology.num_accelerators() / width * parts;
    const int nearer = (width - 1) / 2;
    const int middle = width % 2 == 0 ? (rows + 1) / 2 * (width / 2) : 0;
    most = std::max(most, rows * nearer * (nearer + 1) / 2 + middle);
  }
  return most;
}

// Returns the smallest number of parts per block, at most kEnough, with which the exchange takes the least
// time. This requires that the blocks for the opposite side of a ring are divided evenly, and that the
// longest path has no more hops than there are steps.
int fewest_parts(const topology::Topology& topology, Bytes most) {
  int longest = 0;
  for (const int width : topology.dims()) longest += width / 2;
  const auto steps = [&](int parts) { return std::max(busiest_hops(topology, parts), longest); };
  int best = 1;
  constexpr Bytes kEnough = 8;
  for (int parts = 2; parts <= std::min(most, kEnough); ++parts) {
    if (steps(parts) * best < steps(best) * parts) best = parts;
  }
  return best;
}

// The hops of all parts of the blocks from one accelerator, as edges of a bipartite graph. A hop is an edge
// from vertex r * parts + part, where r is the number of the destination relative to the source, to the index
// of an outgoing channel at its node.
class Hops {
 public:
  Hops(const topology::Topology& topology, int parts)
      : topology_(topology), turns_(topology.dims().size(), 0) {
    for (NodeId shift = 1; shift < topology.num_accelerators(); ++shift) {
      for (int part = 0; part < parts; ++part) add(shift, shift * parts + part);
    }
  }

  const std::vector<BipartiteEdge>& edges() const { return edges_; }

 private:
  // A node has two outgoing channels per dimension: the first leads up and the second down.
  void add(NodeId shift, std::int32_t block) {
    const std::vector<int> up = topology_.coordinates(shift);
    std::int32_t channel = 0;
    for (std::size_t d = 0; d < up.size(); ++d) {
      const int width = topology_.dims()[d];
      if (width == 1) continue;
      const bool middle = 2 * up[d] == width;
      const bool upwards = middle ? turns_[d]++ % 2 == 0 : 2 * up[d] < width;
      const int hops = upwards ? up[d] : (width - up[d]) % width;
      for (int hop = 0; hop < hops; ++hop) edges_.push_back({block, channel + (upwards ? 0 : 1)});
      channel += 2;
    }
  }

  const topology::Topology& topology_;
  std::vector<int> turns_;  // [dimension]: number of parts added so far that could go in either direction
  std::vector<BipartiteEdge> edges_;
};

// Reorders the colours, each of which represents a step. A block's colours are often adjacent, but a part
// that has just been received must wait for the latency of the channel before it can be forwarded.
// Multiplying colours by about 0.618 (golden ratio) times their number, modulo that number, separates
// adjacent ones.
std::vector<std::int32_t> spread(std::vector<std::int32_t> colors) {
  if (colors.empty()) return colors;
  const std::int64_t count = std::ranges::max(colors) + 1;
  constexpr double kGoldenRatio = 0.618;
  auto stride = std::max<std::int64_t>(std::llround(kGoldenRatio * static_cast<double>(count)), 1);
  while (std::gcd(stride, count) != 1) ++stride;
  for (std::int32_t& color : colors) color = static_cast<std::int32_t>(color * stride % count);
  return colors;
}

}  // namespace

bool is_even_torus(const topology::Topology& topology) {
  const topology::KindInfo& info = topology::info_of(topology.kind());
  if (!info.grid || !info.wraps) return false;
  const auto channels = topology.channels();
  return std::ranges::all_of(channels, [&](const topology::Channel& channel) {
    return channel.bandwidth.bytes_per_second == channels.front().bandwidth.bytes_per_second;
  });
}

BlockExchange torus_exchange(const topology::Topology& topology, Bytes most_parts) {
  const NodeId n = topology.num_accelerators();
  const int parts = fewest_parts(topology, most_parts);
  const Hops hops(topology, parts);
  const std::vector<std::int32_t> steps = spread(color_edges(hops.edges()));
  // [block]: its (step, hop) pairs, sorted by step.
  std::vector<std::vector<std::pair<std::int32_t, std::int32_t>>> ways(static_cast<std::size_t>(n) *
                                                                       static_cast<std::size_t>(parts));
  for (std::size_t edge = 0; edge < steps.size(); ++edge) {
    const BipartiteEdge& hop = hops.edges()[edge];
    ways[static_cast<std::size_t>(hop.left)].emplace_back(steps[edge] + 1, hop.right);
  }
  for (auto& way : ways) std::ranges::sort(way);
  BlockExchange exchange{.parts = parts};
  for (NodeId source = 0; source < n; ++source) {
    for (std::size_t block = 0; block < ways.size(); ++block) {
      const std::size_t begin = exchange.sends.size();
      NodeId at = source;
      for (const auto& [step, position] : ways[block]) {
        const topology::ChannelId id = topology.out_channels(at)[static_cast<std::size_t>(position)];
        const NodeId next = topology.channel(id).dst;
        exchange.sends.push_back({.op = Op::kGather, .src = at, .dst = next, .step = step, .channel = id});
        at = next;
      }
      const auto part = static_cast<int>(block) % parts;
      const int flow = (source * n + at) * parts + part;
      for (std::size_t i = begin; i < exchange.sends.size(); ++i) exchange.sends[i].flow = flow;
    }
  }
  return exchange;
}

}  // namespace coppice::schedule
