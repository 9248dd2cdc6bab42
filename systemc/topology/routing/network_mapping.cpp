#include "topology/routing/network_mapping.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

#include "base/error.h"

namespace coppice::topology {
namespace {

std::vector<ChannelId> all_by_speed(const Topology& topology) {
  std::vector<ChannelId> all(topology.channels().size());
  std::iota(all.begin(), all.end(), 0);
  return by_speed(topology, all);
}

// Returns the channels of the machine between the given nodes.
std::vector<ChannelId> channels_among(const Topology& machine, std::span<const NodeId> nodes) {
  std::set<NodeId> ends(nodes.begin(), nodes.end());
  ends.erase(kNoNode);
  std::vector<ChannelId> among;
  for (const NodeId node : ends) {
    for (const ChannelId id : machine.out_channels(node)) {
      if (ends.contains(machine.channel(id).dst)) among.push_back(id);
    }
  }
  return among;
}

}  // namespace

std::vector<ChannelId> by_speed(const Topology& topology, std::span<const ChannelId> channels) {
  std::vector<ChannelId> ordered(channels.begin(), channels.end());
  std::ranges::sort(ordered, {}, [&](ChannelId id) {
    const Channel& channel = topology.channel(id);
    return std::tuple(-channel.bandwidth.bytes_per_second, channel.latency, id);
  });
  return ordered;
}

Route machine_route(const Topology& machine, const RoutingFunction& routing, NodeId src, NodeId dst,
                    int ni_ports) {
  Route route = make_route(machine, routing, src, dst, 0, 0);
  NodeId at = src;
  int ejection = 0;
  for (std::size_t hop = 0; hop + 1 < route.size(); ++hop) {
    const Channel& channel = machine.channel(machine.out_channels(at)[route[hop].out_port]);
    at = channel.dst;
    ejection = ejection_port(channel, ni_ports);
  }
  const int port = static_cast<int>(machine.out_channels(dst).size()) + ejection;
  route.back().out_port = static_cast<std::uint16_t>(port);
  return route;
}

NetworkMapping::NetworkMapping(const Topology& network, const Topology& machine, std::vector<NodeId> nodes)
    : network_(&network),
      machine_(&machine),
      nodes_(std::move(nodes)),
      channels_(network.channels().size(), -1) {
  using Ends = std::pair<NodeId, NodeId>;
  std::map<Ends, std::vector<ChannelId>> joining;
  for (const ChannelId id : by_speed(machine, channels_among(machine, nodes_))) {
    joining[{machine.channel(id).src, machine.channel(id).dst}].push_back(id);
  }
  std::map<Ends, std::size_t> used;
  for (const ChannelId id : all_by_speed(network)) {
    const Ends ends{node(network.channel(id).src), node(network.channel(id).dst)};
    const auto& candidates = joining[ends];
    const std::size_t next = used[ends]++;
    if (next >= candidates.size()) {
      throw ModelError(fmt::format("the network '{}' has more channels {}->{} than {}", network.name(),
                                   ends.first, ends.second, machine.name()));
    }
    channels_[static_cast<std::size_t>(id)] = candidates[next];
  }
}

NetworkMapping::NetworkMapping(const NetworkMapping& within, const Topology& machine,
                               std::span<const NodeId> nodes, std::span<const ChannelId> channels)
    : network_(within.network_), machine_(&machine) {
  for (const NodeId node : within.nodes_) nodes_.push_back(nodes[static_cast<std::size_t>(node)]);
  for (const ChannelId id : within.channels_) channels_.push_back(channels[static_cast<std::size_t>(id)]);
}

Route NetworkMapping::route(NodeId src, const Route& route, int ni_ports, bool port_per_channel) const {
  Route placed = route;
  NodeId at = src;
  NodeId reached = kNoNode;  // on the machine
  int ejection = 0;
  for (Hop& hop : placed) {
    const auto out = network_->out_channels(at);
    if (hop.out_port >= out.size()) {
      if (!port_per_channel) ejection = hop.out_port - static_cast<int>(out.size());
      const auto channels = static_cast<int>(machine_->out_channels(node(at)).size());
      hop.out_port = static_cast<std::uint16_t>(channels + ejection);
      return placed;
    }
    const ChannelId taken = out[hop.out_port];
    if (reached >= 0 && channel(taken).src != reached) return {};
    reached = channel(taken).dst;
    ejection = ejection_port(channel(taken), ni_ports);
    hop.out_port = static_cast<std::uint16_t>(channel(taken).src_port);
    at = network_->channel(taken).dst;
  }
  throw ModelError(
      fmt::format("a route from {} in the network '{}' does not end at a port of a network interface", src,
                  network_->name()));
}

}  // namespace coppice::topology
