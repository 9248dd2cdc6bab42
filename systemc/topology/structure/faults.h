#pragma once

#include <span>
#include <utility>
#include <vector>

#include "topology/topology.h"

namespace coppice::topology {

// A link that has lost part of its bandwidth: the channels between two nodes, in both directions.
struct DegradedLink {
  NodeId a = kNoNode;
  NodeId b = kNoNode;
  double share = 1;  // the remaining fraction of its bandwidth, above 0 and at most 1
  bool operator==(const DegradedLink&) const = default;
};

// A network with failed or degraded links: a graph of kind kFile whose structure is that of the remaining
// network (likeness.h). All channels between the nodes of a failed link are removed, those of a degraded one
// slowed down. Nodes keep their numbers, remaining ports their order. Throws UnsupportedError for a link that
// does not exist, and if accelerators no longer reach each other.
Topology with_faults(const Topology& network, std::span<const std::pair<NodeId, NodeId>> failed,
                     std::span<const DegradedLink> degraded);

}  // namespace coppice::topology
