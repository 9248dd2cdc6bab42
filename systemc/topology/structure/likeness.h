#pragma once

#include <memory>
#include <span>
#include <vector>

#include "topology/networks/hierarchy.h"
#include "topology/topology.h"

namespace coppice::topology {

// A network that is isomorphic to a graph, in a standard numbering: that of a built-in kind or, if no kind
// matches, a numbering that does not depend on the graph's numbering. Schedules for this network apply to the
// graph, node by node.
struct Likeness {
  Topology network;
  std::vector<NodeId> nodes;                   // [node of the network]: node of the graph
  std::vector<NodeId> members;                 // [node of the graph]: node of the network
  std::vector<DimensionSpec> dimensions = {};  // of a hierarchy; otherwise empty
  // Whether switches of the network represent entire fabrics (fabrics.h). In this case, such switches
  // correspond to no node of the graph (kNoNode), and messages use the graph's routes.
  bool routed = false;
};

// Determines whether a graph is a torus, mesh, ring, fully connected group or hierarchy of switches, and the
// position of each node in it; otherwise numbers the graph canonically. Uses find_symmetries(), in time
// nearly linear in the number of channels.
std::shared_ptr<const Likeness> find_likeness(const Topology& graph, bool levels = true);

}  // namespace coppice::topology
