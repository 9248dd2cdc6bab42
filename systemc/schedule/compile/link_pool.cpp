#include "schedule/compile/link_pool.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "schedule/compile/channel_paths.h"

namespace coppice::schedule {

using topology::Channel;
using topology::ChannelId;
using topology::Topology;

NeighbourLinks::NeighbourLinks(const Topology& topology) : accelerators_(topology.num_accelerators()) {
  if (topology.num_switches() > 0) {
    throw UnsupportedError(fmt::format(
        "{} has switches, but the algorithm needs directly connected accelerators", topology.name()));
  }
  const auto n = static_cast<std::size_t>(accelerators_);
  place_of_.resize(n * n, -1);
  neighbours_.resize(n);
  const std::vector<ChannelId> reverse = reverse_channels(topology);
  for (std::size_t i = 0; i < reverse.size(); ++i) {
    const Channel& channel = topology.channels()[i];
    if (channel.src > channel.dst) continue;
    const auto src = static_cast<std::size_t>(channel.src);
    const auto dst = static_cast<std::size_t>(channel.dst);
    std::int32_t& place = place_of_[src * n + dst];
    if (place < 0) {
      place = place_of_[dst * n + src] = static_cast<std::int32_t>(pairs_.size());
      pairs_.emplace_back();
      neighbours_[src].push_back(channel.dst);
      neighbours_[dst].push_back(channel.src);
    }
    pairs_[static_cast<std::size_t>(place)].out.push_back(static_cast<ChannelId>(i));
    pairs_[static_cast<std::size_t>(place)].back.push_back(reverse[i]);
  }
  for (auto& list : neighbours_) std::ranges::sort(list);
}

int NeighbourLinks::degree(NodeId node) const {
  int links = 0;
  for (const NodeId other : neighbours(node)) links += static_cast<int>(pair(node, other).out.size());
  return links;
}

void NeighbourLinks::take(NodeId a, NodeId b) {
  if (!free(a, b)) throw ModelError(fmt::format("no link is free between accelerators {} and {}", a, b));
  ++pair(a, b).taken;
}

void NeighbourLinks::release(NodeId a, NodeId b) {
  if (place_of(a, b) < 0 || pair(a, b).taken == 0)
    throw ModelError(fmt::format("no link is in use between accelerators {} and {}", a, b));
  --pair(a, b).taken;
}

NeighbourLinks::Channels NeighbourLinks::claim(NodeId src, NodeId dst) {
  take(src, dst);
  const Pair& links = pair(src, dst);
  const auto link = links.taken - 1;
  if (src < dst) return {links.out[link], links.back[link]};
  return {links.back[link], links.out[link]};
}

}  // namespace coppice::schedule
