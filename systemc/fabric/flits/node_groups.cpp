#include "fabric/flits/node_groups.h"

#include <algorithm>
#include <cstdint>

namespace coppice::fabric {

std::vector<int> group_nodes(const topology::Topology& topology, int groups) {
  const int nodes = topology.num_nodes();
  groups = std::clamp(groups, 1, std::max(nodes, 1));
  // A network interface costs about as much simulation time as a channel of its router.
  const auto weight = [&topology](topology::NodeId node) {
    return static_cast<std::int64_t>(topology.in_channels(node).size() + topology.out_channels(node).size()) +
           (topology.has_interface(node) ? 2 : 0);
  };
  std::int64_t all = 0;
  for (topology::NodeId node = 0; node < nodes; ++node) all += weight(node);
  std::vector<int> group_of(static_cast<std::size_t>(nodes));
  int group = 0;
  std::int64_t before = 0;
  for (topology::NodeId node = 0; node < nodes; ++node) {
    // The next group begins where the earlier groups have their share of the total weight, but early enough
    // to leave at least one node for every later group.
    const bool has_share = 2 * groups * before + groups * weight(node) >= 2 * all * (group + 1);
    const bool empty = node == 0 || group_of[static_cast<std::size_t>(node) - 1] != group;
    const bool last_chance = nodes - node <= groups - 1 - group;
    if (group + 1 < groups && !empty && (has_share || last_chance)) ++group;
    group_of[static_cast<std::size_t>(node)] = group;
    before += weight(node);
  }
  return group_of;
}

}  // namespace coppice::fabric
