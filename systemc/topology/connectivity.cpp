#include "topology/connectivity.h"

#include <fmt/format.h>

#include "base/error.h"

namespace coppice::topology {
namespace {

// Returns, for each node, whether channels lead from accelerator 0 to the node (`forward`) or from the node
// to accelerator 0.
std::vector<bool> reach(const Topology& topology, bool forward) {
  std::vector<bool> reached(static_cast<std::size_t>(topology.num_nodes()));
  std::vector<NodeId> pending{0};
  reached[0] = true;
  while (!pending.empty()) {
    const NodeId node = pending.back();
    pending.pop_back();
    for (const ChannelId id : forward ? topology.out_channels(node) : topology.in_channels(node)) {
      const NodeId next = forward ? topology.channel(id).dst : topology.channel(id).src;
      if (reached[static_cast<std::size_t>(next)]) continue;
      reached[static_cast<std::size_t>(next)] = true;
      pending.push_back(next);
    }
  }
  return reached;
}

}  // namespace

// All accelerators can reach each other if and only if accelerator 0 can reach, and can be reached from,
// every other accelerator.
std::optional<std::pair<NodeId, NodeId>> find_unreachable(const Topology& topology) {
  for (const bool forward : {true, false}) {
    const std::vector<bool> reached = reach(topology, forward);
    for (NodeId node = 0; node < topology.num_accelerators(); ++node) {
      if (reached[static_cast<std::size_t>(node)]) continue;
      return forward ? std::pair{NodeId{0}, node} : std::pair{node, NodeId{0}};
    }
  }
  return std::nullopt;
}

void require_connected(const Topology& topology) {
  if (const auto apart = find_unreachable(topology)) {
    throw UnsupportedError(fmt::format("{}: accelerator {} cannot reach accelerator {}", topology.name(),
                                       apart->first, apart->second));
  }
}

}  // namespace coppice::topology
