#include "schedule/tables/replicate.h"

#include <fmt/format.h>

#include <stdexcept>

namespace coppice::schedule {

Schedule relocate(const Schedule& group, const std::vector<std::vector<NodeId>>& places, int accelerators) {
  Schedule machine = group;
  machine.nodes.assign(static_cast<std::size_t>(accelerators), {});
  const std::size_t ports = group.nodes.empty() ? 0 : group.nodes.front().ports.size();
  for (const auto& place : places) {
    if (place.size() != group.nodes.size()) {
      throw std::invalid_argument(fmt::format("a group of {} accelerators cannot run a schedule of {}",
                                              place.size(), group.nodes.size()));
    }
    const auto moved = [&](NodeId node) {
      return node == topology::kNoNode ? node : place[static_cast<std::size_t>(node)];
    };
    for (std::size_t i = 0; i < place.size(); ++i) {
      if (place[i] < 0 || place[i] >= accelerators) {
        throw std::invalid_argument(fmt::format("accelerator {} does not exist", place[i]));
      }
      NodeTables& tables = machine.nodes[static_cast<std::size_t>(place[i])];
      if (!tables.ports.empty()) {
        throw std::invalid_argument(fmt::format("accelerator {} appears twice", place[i]));
      }
      tables = group.nodes[i];
      for (auto& port : tables.ports) {
        for (TableEntry& entry : port) {
          entry.parent = moved(entry.parent);
          for (NodeId& child : entry.children) child = moved(child);
        }
      }
    }
  }
  for (NodeTables& tables : machine.nodes) tables.ports.resize(ports);
  return machine;
}

}  // namespace coppice::schedule
