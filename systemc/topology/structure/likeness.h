#pragma once

#include <memory>
#include <span>
#include <vector>

#include "topology/networks/hierarchy.h"
#include "topology/topology.h"

namespace coppice::topology {

// The network that is isomorphic to a graph, in standard numbering: that of a built-in kind or, if there is
// none, an order that does not depend on the graph's own numbers. Whatever is compiled for that network holds
// for the graph, node by node.
struct Likeness {
  Topology network;
  std::vector<NodeId> nodes;                   // [node of the network]: node of the graph
  std::vector<NodeId> members;                 // [node of the graph]: node of the network
  std::vector<DimensionSpec> dimensions = {};  // those of a hierarchy; otherwise empty
  // Switches of the network stand for whole fabrics (fabrics.h), and correspond to no node of the graph
  // (kNoNode): messages take the graph's routes.
  bool routed = false;
};

// Finds out whether a graph is a torus, mesh, ring, fully connected group or hierarchy of switches, and where
// each of its nodes is in it; otherwise numbers it canonically. It uses symmetries (symmetries.h), in time
// nearly linear in the channels.
std::shared_ptr<const Likeness> find_likeness(const Topology& graph, bool levels = true);

}  // namespace coppice::topology
