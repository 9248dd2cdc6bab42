#include "topology/structure/fabrics.h"
#include "base/index.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

namespace coppice::topology {
namespace {

// [node]: number of the switch's fabric, from 0; -1 for accelerators.
std::vector<int> number_fabrics(const Topology& graph) {
  std::vector<int> fabric(index(graph.num_nodes()), -1);
  int fabrics = 0;
  for (NodeId first = graph.num_accelerators(); first < graph.num_nodes(); ++first) {
    if (fabric[index(first)] >= 0) continue;
    std::vector<NodeId> reached{first};
    fabric[index(first)] = fabrics;
    for (std::size_t i = 0; i < reached.size(); ++i) {
      for (const ChannelId id : graph.out_channels(reached[i])) {
        const NodeId next = graph.channel(id).dst;
        if (graph.is_accelerator(next) || fabric[index(next)] >= 0) continue;
        fabric[index(next)] = fabrics;
        reached.push_back(next);
      }
    }
    ++fabrics;
  }
  return fabric;
}

bool has_accelerators(const Topology& graph, NodeId node) {
  return std::ranges::any_of(graph.out_channels(node),
                             [&](ChannelId id) { return graph.is_accelerator(graph.channel(id).dst); });
}

// The latency from `leaf`, through switches, to the farthest switch with accelerators.
Femtoseconds across(const Topology& graph, NodeId leaf) {
  std::vector<Femtoseconds> latency(index(graph.num_nodes()), -1);
  std::vector<NodeId> reached{leaf};
  latency[index(leaf)] = 0;
  Femtoseconds farthest = 0;
  for (std::size_t i = 0; i < reached.size(); ++i) {
    const Femtoseconds here = latency[index(reached[i])];
    if (has_accelerators(graph, reached[i])) farthest = std::max(farthest, here);
    for (const ChannelId id : graph.out_channels(reached[i])) {
      const Channel& channel = graph.channel(id);
      if (graph.is_accelerator(channel.dst) || latency[index(channel.dst)] >= 0) continue;
      latency[index(channel.dst)] = here + channel.latency;
      reached.push_back(channel.dst);
    }
  }
  return farthest;
}

// Whether a switch has no links to other switches, or at least as much bandwidth to other switches as to
// accelerators, in each direction.
bool carries_all(const Topology& graph, NodeId node) {
  const auto carries = [&](std::span<const ChannelId> channels, NodeId Channel::*other) {
    std::int64_t accelerators = 0;
    std::int64_t switches = 0;
    for (const ChannelId id : channels) {
      const Channel& channel = graph.channel(id);
      (graph.is_accelerator(channel.*other) ? accelerators : switches) += channel.bandwidth.bytes_per_second;
    }
    return switches == 0 || accelerators <= switches;
  };
  return carries(graph.out_channels(node), &Channel::dst) && carries(graph.in_channels(node), &Channel::src);
}

}  // namespace

std::optional<Topology> join_fabrics(const Topology& graph) {
  const std::vector<int> fabric = number_fabrics(graph);
  const int fabrics = 1 + *std::ranges::max_element(fabric);
  if (fabrics == graph.num_switches()) return std::nullopt;
  std::vector<Femtoseconds> middle(static_cast<std::size_t>(fabrics), 0);
  for (NodeId node = graph.num_accelerators(); node < graph.num_nodes(); ++node) {
    if (!carries_all(graph, node)) return std::nullopt;
    if (!has_accelerators(graph, node)) continue;
    Femtoseconds& farthest = middle[static_cast<std::size_t>(fabric[index(node)])];
    farthest = std::max(farthest, across(graph, node) / 2);
  }
  Topology joined(Kind::kFile, {}, graph.num_accelerators(), fabrics);
  const auto member = [&](NodeId node) {
    return graph.is_accelerator(node) ? node : graph.num_accelerators() + fabric[index(node)];
  };
  for (const Channel& channel : graph.channels()) {
    const NodeId src = member(channel.src);
    const NodeId dst = member(channel.dst);
    if (src == dst) continue;
    const NodeId hub = std::max(src, dst);
    const Femtoseconds more = graph.is_accelerator(hub) ? 0 : middle[index(hub - graph.num_accelerators())];
    joined.add_channel(src, dst, channel.bandwidth, channel.latency + more);
  }
  return joined;
}

}  // namespace coppice::topology
