#pragma once

#include <memory>
#include <span>
#include <vector>

#include "topology/networks/hierarchy.h"
#include "topology/topology.h"

namespace coppice::topology {

// The network under which a graph is known: the same channels between the same nodes, numbered as a built-in
// kind numbers them, or, where it is none, in an order that does not depend on the graph's own numbers. What
// is made for that network holds for the graph, node by node.
struct Likeness {
  Topology network;
  std::vector<NodeId> nodes;                   // [node of the network]: that of the graph
  std::vector<NodeId> members;                 // [node of the graph]: that of the network
  std::vector<DimensionSpec> dimensions = {};  // of a hierarchy
  // Switches of the network stand for whole fabrics (fabrics.h), and correspond to no node of the graph
  // (kNoNode): messages take the graph's routes.
  bool routed = false;
};

// Finds out whether a graph is a torus, mesh, ring, fully connected group or hierarchy of switches, and where
// each of its nodes is in it; else numbers it canonically. By symmetries (symmetries.h), in nearly linear
// time in the channels.
std::shared_ptr<const Likeness> find_likeness(const Topology& graph, bool levels = true);

}  // namespace coppice::topology
