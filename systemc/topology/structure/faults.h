#pragma once

#include <span>
#include <utility>
#include <vector>

#include "topology/topology.h"

namespace coppice::topology {

// A link that has lost a part of its bandwidth. It consists of all channels between two nodes, in both
// directions.
struct DegradedLink {
  NodeId a = kNoNode;
  NodeId b = kNoNode;
  double share = 1;  // remaining fraction of the bandwidth, above 0 and at most 1
  bool operator==(const DegradedLink&) const = default;
};

// Returns a copy of a network with failed and degraded links. The copy is of kind kFile, so its structure is
// found like that of any other graph (likeness.h). All channels between the nodes of a failed link are
// removed, and the bandwidth of the channels of a degraded link is reduced. Nodes keep their numbers, and the
// remaining ports keep their order. Throws UnsupportedError if a link does not exist, or if an accelerator
// can no longer reach another.
Topology with_faults(const Topology& network, std::span<const std::pair<NodeId, NodeId>> failed,
                     std::span<const DegradedLink> degraded);

}  // namespace coppice::topology
