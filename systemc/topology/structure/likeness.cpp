#include "topology/structure/likeness.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>

#include "base/index.h"
#include "topology/routing/network_mapping.h"
#include "topology/structure/candidates.h"
#include "topology/structure/fabrics.h"
#include "topology/structure/symmetries.h"

namespace coppice::topology {
namespace {

// The (source, destination, bandwidth, latency) tuples of all channels after renumbering nodes, in sorted
// order.
using Channels = std::vector<std::tuple<NodeId, NodeId, std::int64_t, Femtoseconds>>;

Channels channels_of(const Topology& topology, const std::vector<NodeId>& nodes) {
  Channels channels;
  channels.reserve(topology.channels().size());
  for (const Channel& channel : topology.channels()) {
    channels.emplace_back(nodes[index(channel.src)], nodes[index(channel.dst)],
                          channel.bandwidth.bytes_per_second, channel.latency);
  }
  std::ranges::sort(channels);
  return channels;
}

std::vector<NodeId> inverse(const std::vector<NodeId>& nodes) {
  std::vector<NodeId> inverted(nodes.size());
  for (std::size_t node = 0; node < nodes.size(); ++node) {
    inverted[index(nodes[node])] = static_cast<NodeId>(node);
  }
  return inverted;
}

std::vector<NodeId> as_numbered(const Topology& topology) {
  std::vector<NodeId> nodes(index(topology.num_nodes()));
  std::iota(nodes.begin(), nodes.end(), 0);
  return nodes;
}

// Maps the nodes of `network` to those of the graph. Returns nullopt if the two are not isomorphic.
std::optional<std::vector<NodeId>> places_in(const Topology& graph, const Channels& channels,
                                             const std::vector<NodeId>& by_label, const Topology& network) {
  if (network.num_accelerators() != graph.num_accelerators() || network.num_nodes() != graph.num_nodes() ||
      network.channels().size() != graph.channels().size()) {
    return std::nullopt;
  }
  if (channels_of(network, as_numbered(network)) == channels) return as_numbered(network);
  std::vector<NodeId> nodes = find_symmetries(network).labels;
  for (NodeId& node : nodes) node = by_label[index(node)];
  if (channels_of(network, nodes) != channels) return std::nullopt;
  return nodes;
}

// Returns the nodes in the order of a breadth-first search that starts at the lowest label and visits
// neighbours in the order of their labels, so that neighbours get similar numbers. Accelerators come before
// switches.
std::vector<NodeId> canonical_order(const Topology& graph, const std::vector<NodeId>& labels) {
  const std::vector<NodeId> by_label = inverse(labels);
  std::vector<bool> reached(by_label.size(), false);
  std::vector<NodeId> order;
  for (const NodeId first : by_label) {
    if (reached[index(first)]) continue;
    reached[index(first)] = true;
    order.push_back(first);
    for (std::size_t i = order.size() - 1; i < order.size(); ++i) {
      std::vector<NodeId> next;
      for (const ChannelId id : graph.out_channels(order[i])) {
        const NodeId node = graph.channel(id).dst;
        if (!reached[index(node)]) next.push_back(labels[index(node)]);
        reached[index(node)] = true;
      }
      std::ranges::sort(next);
      for (const NodeId label : next) order.push_back(by_label[index(label)]);
    }
  }
  std::stable_partition(order.begin(), order.end(), [&](NodeId node) { return graph.is_accelerator(node); });
  return order;
}

// Returns the graph with its nodes numbered in `order`, and with its channels sorted by their ends, bandwidth
// and latency.
Topology renumbered(const Topology& graph, const std::vector<NodeId>& order) {
  Topology network(Kind::kFile, {}, graph.num_accelerators(), graph.num_switches());
  const Channels channels = channels_of(graph, inverse(order));
  for (const auto& [src, dst, bandwidth, latency] : channels) {
    network.add_channel(src, dst, {bandwidth}, latency);
  }
  return network;
}

std::shared_ptr<const Likeness> likeness(Topology network, std::vector<NodeId> nodes,
                                         std::vector<DimensionSpec> dimensions = {}) {
  std::vector<NodeId> members = inverse(nodes);
  return std::make_shared<const Likeness>(
      Likeness{std::move(network), std::move(nodes), std::move(members), std::move(dimensions)});
}

// Returns the first candidate network that is isomorphic to the graph.
std::shared_ptr<const Likeness> find_kind(const Topology& graph, const std::vector<NodeId>& labels) {
  const std::vector<NodeId> by_label = inverse(labels);
  const Channels channels = channels_of(graph, as_numbered(graph));
  for (auto* const likely : {likely_grids, likely_hierarchies}) {
    for (LikelyNetwork& candidate : likely(graph)) {
      if (auto nodes = places_in(graph, channels, by_label, candidate.network)) {
        return likeness(std::move(candidate.network), *std::move(nodes), std::move(candidate.dimensions));
      }
    }
  }
  return nullptr;
}

// Whether one of several planes is a fabric of several switches. The graph's own routes do not distinguish
// such planes.
bool has_planes_of_fabrics(const Topology& graph, const Likeness& levels) {
  const auto lanes = lanes_of(levels.network);
  std::map<NodeId, NodeId> hubs;  // [switch of the network]: switch of the graph
  for (std::size_t d = 0; d < levels.dimensions.size(); ++d) {
    if (!levels.dimensions[d].planes) continue;
    for (const Lane& lane : lanes[d]) {
      for (NodeId node = 0; node < graph.num_accelerators(); ++node) {
        const ChannelId id = levels.network.out_channels(node)[static_cast<std::size_t>(lane.out_port)];
        const NodeId hub = graph.channel(levels.fabric_channels[index(id)]).dst;
        if (hubs.try_emplace(levels.network.channel(id).dst, hub).first->second != hub) return true;
      }
    }
  }
  return false;
}

// Returns the likeness to a hierarchy in which each fabric counts as one switch; nullptr if there is none.
std::shared_ptr<const Likeness> find_levels(const Topology& graph) {
  const auto joined = join_fabrics(graph);
  if (!joined) return nullptr;
  const auto found = find_kind(joined->network, find_symmetries(joined->network).labels);
  if (found == nullptr || found->dimensions.size() < 2) return nullptr;
  Likeness levels = *found;
  const NetworkMapping mapping(levels.network, joined->network, levels.nodes);
  for (std::size_t id = 0; id < levels.network.channels().size(); ++id) {
    const ChannelId there = mapping.channel_id(static_cast<ChannelId>(id));
    levels.fabric_channels.push_back(joined->channels[index(there)]);
  }
  if (has_planes_of_fabrics(graph, levels)) return nullptr;
  std::fill(levels.nodes.begin() + graph.num_accelerators(), levels.nodes.end(), kNoNode);
  levels.members.resize(index(graph.num_accelerators()));
  levels.members.resize(index(graph.num_nodes()), kNoNode);
  return std::make_shared<const Likeness>(std::move(levels));
}

}  // namespace

std::shared_ptr<const Likeness> find_likeness(const Topology& graph, bool levels) {
  const std::vector<NodeId> labels = find_symmetries(graph).labels;
  if (auto kind = find_kind(graph, labels)) return kind;
  if (levels && graph.num_switches() > 1) {
    if (auto found = find_levels(graph)) return found;
  }
  std::vector<NodeId> order = canonical_order(graph, labels);
  Topology network = renumbered(graph, order);
  return likeness(std::move(network), std::move(order));
}

}  // namespace coppice::topology
