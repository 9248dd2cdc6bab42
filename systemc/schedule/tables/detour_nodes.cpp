#include "schedule/tables/detour_nodes.h"

namespace coppice::schedule {

std::vector<NodeId> forwarders(const topology::Topology& topology, const Schedule& schedule) {
  std::vector<bool> passed(static_cast<std::size_t>(topology.num_nodes()), false);
  for (std::size_t node = 0; node < schedule.nodes.size(); ++node) {
    for (const auto& port : schedule.nodes[node].ports) {
      port.for_each_route([&](std::int32_t index) {
        const topology::Route& route = schedule.routes[static_cast<std::size_t>(index)];
        auto at = static_cast<NodeId>(node);
        for (std::size_t hop = 0; hop + 2 < route.size(); ++hop) {
          at = topology.channel(topology.out_channels(at)[route[hop].out_port]).dst;
          passed[static_cast<std::size_t>(at)] = true;
        }
      });
    }
  }
  std::vector<NodeId> found;
  for (NodeId node = 0; node < topology.num_accelerators(); ++node) {
    if (passed[static_cast<std::size_t>(node)]) found.push_back(node);
  }
  return found;
}

}  // namespace coppice::schedule
