#include "schedule/multitree/slow_links.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "topology/connectivity.h"

namespace coppice::schedule {
namespace {

using topology::ChannelId;
using topology::NodeId;
using topology::Topology;

// Returns the channels with at least `least` bytes per second. Between two nodes, surplus channels in one
// direction are left out, so that both directions have equally many.
std::vector<ChannelId> fast_channels(const Topology& topology, std::int64_t least) {
  std::map<std::pair<NodeId, NodeId>, int> fast;
  const auto is_fast = [&](const topology::Channel& c) { return c.bandwidth.bytes_per_second >= least; };
  for (const topology::Channel& channel : topology.channels()) {
    if (is_fast(channel)) ++fast[{channel.src, channel.dst}];
  }
  std::map<std::pair<NodeId, NodeId>, int> kept;
  std::vector<ChannelId> result;
  for (ChannelId id = 0; id < static_cast<ChannelId>(topology.channels().size()); ++id) {
    const topology::Channel& channel = topology.channel(id);
    const auto back = fast.find({channel.dst, channel.src});
    if (!is_fast(channel) || back == fast.end()) continue;
    if (kept[{channel.src, channel.dst}]++ < back->second) result.push_back(id);
  }
  return result;
}

// Returns the time of all timesteps together, per byte of a piece.
double time_of(const Trees& trees, std::int64_t slowest) {
  return static_cast<double>(trees.steps) / static_cast<double>(slowest);
}

}  // namespace

Trees build_without_slow_links(const Topology& topology, const std::function<Trees(const Topology&)>& build) {
  std::set<std::int64_t> bandwidths;
  for (const topology::Channel& channel : topology.channels()) {
    bandwidths.insert(channel.bandwidth.bytes_per_second);
  }
  Trees best = build(topology);
  if (bandwidths.size() < 2) return best;
  double least = time_of(best, *bandwidths.begin());
  for (auto bandwidth = std::next(bandwidths.begin()); bandwidth != bandwidths.end(); ++bandwidth) {
    const std::vector<ChannelId> kept = fast_channels(topology, *bandwidth);
    Topology reduced(topology::Kind::kFile, {}, topology.num_accelerators(), topology.num_switches());
    for (const ChannelId id : kept) {
      const topology::Channel& channel = topology.channel(id);
      reduced.add_channel(channel.src, channel.dst, channel.bandwidth, channel.latency, channel.dimension);
    }
    if (topology::find_unreachable(reduced)) break;
    Trees trees = build(reduced);
    if (time_of(trees, *bandwidth) >= least) continue;
    least = time_of(trees, *bandwidth);
    const auto original = [&](ChannelId& id) {
      if (id >= 0) id = kept[static_cast<std::size_t>(id)];
    };
    for (auto& tree : trees.trees) {
      for (TreeEdge& edge : tree) original(edge.channel);
    }
    for (ChannelPath& path : trees.paths) std::ranges::for_each(path, original);
    best = std::move(trees);
  }
  return best;
}

}  // namespace coppice::schedule
