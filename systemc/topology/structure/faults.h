#pragma once

#include <span>
#include <utility>
#include <vector>

#include "topology/topology.h"

namespace coppice::topology {

// A link that has lost part of its bandwidth: all channels between two nodes, in both directions.
struct DegradedLink {
  NodeId a = kNoNode;
  NodeId b = kNoNode;
  double share = 1;  // remaining fraction of the bandwidth, above 0 and at most 1
  bool operator==(const DegradedLink&) const = default;
};

// Returns a network with failed and degraded links, as a graph of kind kFile whose structure is found like
// that of any graph (likeness.h). Removes all channels between the nodes of a failed link, and reduces the
// bandwidth of the channels of a degraded link. Nodes keep their numbers, and the remaining ports keep their
// order. Throws UnsupportedError for a link that does not exist, or if accelerators can no longer reach each
// other.
Topology with_faults(const Topology& network, std::span<const std::pair<NodeId, NodeId>> failed,
                     std::span<const DegradedLink> degraded);

}  // namespace coppice::topology
