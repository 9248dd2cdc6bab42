#include "topology/structure/planes.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "base/index.h"
#include "topology/connectivity.h"
#include "topology/routing/network_mapping.h"

namespace coppice::topology {
namespace {

// [plane]: the channels of the plane.
using Division = std::vector<std::vector<ChannelId>>;

Bandwidth least_bandwidth(const Topology& network) {
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (NodeId node = 0; node < network.num_accelerators(); ++node) {
    for (const auto& channels : {network.out_channels(node), network.in_channels(node)}) {
      std::int64_t sum = 0;
      for (const ChannelId id : channels) sum += network.channel(id).bandwidth.bytes_per_second;
      least = std::min(least, sum);
    }
  }
  return {least};
}

// Returns the plane that `channels` form; nullopt if they do not connect all accelerators.
std::optional<Plane> plane_of(const Topology& network, const std::vector<ChannelId>& channels) {
  std::vector<bool> used(index(network.num_nodes()), false);
  for (const ChannelId id : channels) {
    used[index(network.channel(id).src)] = true;
    used[index(network.channel(id).dst)] = true;
  }
  std::vector<NodeId> nodes(index(network.num_accelerators()));
  std::iota(nodes.begin(), nodes.end(), 0);
  std::vector<NodeId> member(index(network.num_nodes()), kNoNode);
  for (NodeId node = network.num_accelerators(); node < network.num_nodes(); ++node) {
    if (used[index(node)]) nodes.push_back(node);
  }
  for (std::size_t node = 0; node < nodes.size(); ++node) {
    member[index(nodes[node])] = static_cast<NodeId>(node);
  }
  Topology own(Kind::kFile, {}, network.num_accelerators(),
               static_cast<int>(nodes.size()) - network.num_accelerators());
  for (const ChannelId id : channels) {
    const Channel& channel = network.channel(id);
    own.add_channel(member[index(channel.src)], member[index(channel.dst)], channel.bandwidth,
                    channel.latency, channel.dimension);
  }
  if (find_unreachable(own)) return std::nullopt;
  const Bandwidth bandwidth = least_bandwidth(own);
  return Plane{std::move(own), std::move(nodes), channels, bandwidth};
}

// Divides channels by switch fabric. The result is empty if accelerators are linked to each other.
Division by_fabric(const Topology& network) {
  std::vector<NodeId> fabric(index(network.num_nodes()));
  std::iota(fabric.begin(), fabric.end(), 0);
  const auto root = [&](NodeId node) {
    while (fabric[index(node)] != node) node = fabric[index(node)] = fabric[index(fabric[index(node)])];
    return node;
  };
  for (const Channel& channel : network.channels()) {
    const bool from_accelerator = network.is_accelerator(channel.src);
    const bool to_accelerator = network.is_accelerator(channel.dst);
    if (from_accelerator && to_accelerator) return {};
    if (!from_accelerator && !to_accelerator) fabric[index(root(channel.src))] = root(channel.dst);
  }
  std::map<NodeId, std::vector<ChannelId>> channels;
  for (ChannelId id = 0; id < static_cast<ChannelId>(network.channels().size()); ++id) {
    const Channel& channel = network.channel(id);
    channels[root(network.is_accelerator(channel.src) ? channel.dst : channel.src)].push_back(id);
  }
  Division division;
  for (auto& [switches, own] : channels) division.push_back(std::move(own));
  return division;
}

// Divides the channels by their rank, from fastest to slowest, among the channels between the same two nodes.
// The result is empty if the number of channels is not the same for all connected pairs.
Division by_rank(const Topology& network) {
  std::vector<ChannelId> all(network.channels().size());
  std::iota(all.begin(), all.end(), 0);
  std::map<std::pair<NodeId, NodeId>, std::size_t> ranks;
  Division division;
  for (const ChannelId id : by_speed(network, all)) {
    const std::size_t rank = ranks[{network.channel(id).src, network.channel(id).dst}]++;
    if (division.size() <= rank) division.resize(rank + 1);
    division[rank].push_back(id);
  }
  const bool uniform =
      std::ranges::all_of(ranks, [&](const auto& joint) { return joint.second == division.size(); });
  if (!uniform) return {};
  for (auto& channels : division) std::ranges::sort(channels);
  return division;
}

std::vector<Plane> planes_of(const Topology& network, const Division& division) {
  std::vector<Plane> planes;
  if (division.size() < 2) return planes;
  for (const auto& channels : division) {
    auto plane = plane_of(network, channels);
    if (!plane) return {};
    planes.push_back(*std::move(plane));
  }
  return planes;
}

}  // namespace

std::vector<Plane> find_planes(const Topology& network) {
  if (network.num_accelerators() < 2) return {};
  std::vector<Plane> planes = planes_of(network, by_fabric(network));
  if (planes.empty()) planes = planes_of(network, by_rank(network));
  // A fabric may contain parallel links, which divide it into further planes.
  std::vector<Plane> finest;
  for (Plane& plane : planes) {
    std::vector<Plane> own = planes_of(plane.network, by_rank(plane.network));
    if (own.empty()) {
      finest.push_back(std::move(plane));
      continue;
    }
    for (Plane& part : own) {
      for (NodeId& node : part.nodes) node = plane.nodes[index(node)];
      for (ChannelId& id : part.channels) id = plane.channels[static_cast<std::size_t>(id)];
      finest.push_back(std::move(part));
    }
  }
  return finest;
}

}  // namespace coppice::topology
