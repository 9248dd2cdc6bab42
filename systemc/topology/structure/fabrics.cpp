#include "topology/structure/fabrics.h"
#include "base/index.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <vector>

namespace coppice::topology {
namespace {

// Returns, for each node, the number of its fabric (counted from 0) if it is a switch, and -1 if it is an
// accelerator.
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

// Finds the boxes, which are groups of accelerators joined by links outside fabric `number`. Returns the box
// of each accelerator; boxes are numbered from 0 in the order of their first members.
std::vector<int> boxes_beside(const Topology& graph, const std::vector<int>& fabric, int number) {
  std::vector<int> box(index(graph.num_nodes()), -1);
  int boxes = 0;
  for (NodeId first = 0; first < graph.num_accelerators(); ++first) {
    if (box[index(first)] >= 0) continue;
    std::vector<NodeId> reached{first};
    box[index(first)] = boxes;
    for (std::size_t i = 0; i < reached.size(); ++i) {
      for (const ChannelId id : graph.out_channels(reached[i])) {
        const NodeId next = graph.channel(id).dst;
        if (fabric[index(next)] == number || box[index(next)] >= 0) continue;
        box[index(next)] = boxes;
        reached.push_back(next);
      }
    }
    ++boxes;
  }
  box.resize(index(graph.num_accelerators()));
  return box;
}

// Returns, for each accelerator, the switch of fabric `number` to which it is linked; kNoNode if there is no
// such switch or more than one.
std::vector<NodeId> leaves_of(const Topology& graph, const std::vector<int>& fabric, int number) {
  std::vector<NodeId> leaves(index(graph.num_accelerators()), kNoNode);
  for (NodeId node = 0; node < graph.num_accelerators(); ++node) {
    std::set<NodeId> found;
    for (const ChannelId id : graph.out_channels(node)) {
      if (fabric[index(graph.channel(id).dst)] == number) found.insert(graph.channel(id).dst);
    }
    if (found.size() == 1) leaves[index(node)] = *found.begin();
  }
  return leaves;
}

// Divides the accelerators on a fabric into rails, each of which has one accelerator of every box. This is
// valid because the fabric delays no message, so every rail could have a switch of its own. The accelerators
// on a leaf form a rail if no two of them are in the same box. Returns the rail of each accelerator; all are
// 0 if no such division exists.
std::vector<int> find_rails(const Topology& graph, const std::vector<int>& fabric, int number) {
  const std::vector<int> none(index(graph.num_accelerators()), 0);
  const std::vector<int> box = boxes_beside(graph, fabric, number);
  const std::vector<NodeId> leaves = leaves_of(graph, fabric, number);
  const int boxes = 1 + *std::ranges::max_element(box);
  const std::size_t size = box.size() / static_cast<std::size_t>(boxes);
  if (boxes < 2 || size < 2 || std::ranges::find(leaves, kNoNode) != leaves.end()) return none;
  std::vector<std::vector<NodeId>> members(static_cast<std::size_t>(boxes));
  std::map<NodeId, std::vector<int>> boxes_on;  // boxes on each leaf
  for (std::size_t node = 0; node < box.size(); ++node) {
    members[static_cast<std::size_t>(box[node])].push_back(static_cast<NodeId>(node));
    boxes_on[leaves[node]].push_back(box[node]);
  }
  if (std::ranges::any_of(members, [&](const auto& all) { return all.size() != size; })) return none;
  const bool by_leaf = std::ranges::all_of(boxes_on, [](auto leaf) {
    std::ranges::sort(leaf.second);
    return std::ranges::adjacent_find(leaf.second) == leaf.second.end();
  });
  std::vector<int> rails = none;
  std::map<NodeId, int> rail_of_leaf;
  for (std::vector<NodeId>& all : members) {
    std::vector<bool> taken(size, false);
    const auto take = [&](NodeId node, int rail) {
      rails[index(node)] = rail;
      if (by_leaf) rail_of_leaf[leaves[index(node)]] = rail;
      taken[static_cast<std::size_t>(rail)] = true;
    };
    std::vector<NodeId> others;
    for (const NodeId node : all) {
      const auto known = rail_of_leaf.find(leaves[index(node)]);
      if (known == rail_of_leaf.end()) {
        others.push_back(node);
      } else if (taken[static_cast<std::size_t>(known->second)]) {
        return none;
      } else {
        take(node, known->second);
      }
    }
    for (const NodeId node : others) {
      take(node, static_cast<int>(std::ranges::find(taken, false) - taken.begin()));
    }
  }
  return rails;
}

bool has_accelerators(const Topology& graph, NodeId node) {
  return std::ranges::any_of(graph.out_channels(node),
                             [&](ChannelId id) { return graph.is_accelerator(graph.channel(id).dst); });
}

// Returns the latency from `leaf`, through switches, to the farthest switch with accelerators.
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

// A switch may have less bandwidth to other switches by one part in kRounding, because bandwidths are
// rounded.
constexpr std::int64_t kRounding = 1000;

// Whether a switch has no links to other switches or, in each direction, at least as much bandwidth to other
// switches as to accelerators, except for rounding.
bool carries_all(const Topology& graph, NodeId node) {
  const auto carries = [&](std::span<const ChannelId> channels, NodeId Channel::*other) {
    std::int64_t accelerators = 0;
    std::int64_t switches = 0;
    for (const ChannelId id : channels) {
      const Channel& channel = graph.channel(id);
      (graph.is_accelerator(channel.*other) ? accelerators : switches) += channel.bandwidth.bytes_per_second;
    }
    return switches == 0 || accelerators - accelerators / kRounding <= switches;
  };
  return carries(graph.out_channels(node), &Channel::dst) && carries(graph.in_channels(node), &Channel::src);
}

}  // namespace

std::optional<JoinedFabrics> join_fabrics(const Topology& graph) {
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
  std::vector<std::vector<int>> rails;  // [fabric][accelerator]
  std::vector<NodeId> first_switch;     // [fabric]
  NodeId nodes = graph.num_accelerators();
  for (int number = 0; number < fabrics; ++number) {
    const bool single = std::ranges::count(fabric, number) == 1;
    rails.push_back(single ? std::vector<int>(index(graph.num_accelerators()), 0)
                           : find_rails(graph, fabric, number));
    first_switch.push_back(nodes);
    nodes += 1 + *std::ranges::max_element(rails.back());
  }
  JoinedFabrics joined{
      .network = Topology(Kind::kFile, {}, graph.num_accelerators(), nodes - graph.num_accelerators()),
      .channels = {}};
  // The new switch that replaces `node` for messages of `accelerator`.
  const auto hub = [&](NodeId node, NodeId accelerator) {
    const auto number = static_cast<std::size_t>(fabric[index(node)]);
    return first_switch[number] + rails[number][index(accelerator)];
  };
  for (ChannelId id = 0; id < static_cast<ChannelId>(graph.channels().size()); ++id) {
    const Channel& channel = graph.channel(id);
    const bool from_switch = !graph.is_accelerator(channel.src);
    const bool to_switch = !graph.is_accelerator(channel.dst);
    if (from_switch && to_switch) continue;
    const NodeId src = from_switch ? hub(channel.src, channel.dst) : channel.src;
    const NodeId dst = to_switch ? hub(channel.dst, channel.src) : channel.dst;
    const NodeId node = from_switch ? channel.src : channel.dst;
    const Femtoseconds more =
        graph.is_accelerator(node) ? 0 : middle[static_cast<std::size_t>(fabric[index(node)])];
    joined.network.add_channel(src, dst, channel.bandwidth, channel.latency + more);
    joined.channels.push_back(id);
  }
  return joined;
}

}  // namespace coppice::topology
