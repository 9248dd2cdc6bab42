#pragma once

#include <memory>
#include <span>
#include <vector>

#include "topology/networks/hierarchy.h"
#include "topology/topology.h"

namespace coppice::topology {

// A network that is isomorphic to a graph and has a standard numbering. If the graph matches a built-in kind,
// the numbering is that of the kind; otherwise, it is canonical, so it does not depend on how the graph is
// numbered. Schedules for this network are valid for the graph if their nodes are renumbered.
struct Likeness {
  Topology network;
  std::vector<NodeId> nodes;                   // [node of the network]: node of the graph
  std::vector<NodeId> members;                 // [node of the graph]: node of the network
  std::vector<DimensionSpec> dimensions = {};  // dimensions of a hierarchy; otherwise empty
  // [channel of the network]: channel of the graph, if some switches of the network may represent entire
  // fabrics (fabrics.h); otherwise empty. The network's switches then correspond to no nodes of the graph
  // (kNoNode), and messages through fabrics use the routes of the graph.
  std::vector<ChannelId> fabric_channels = {};
};

// Determines whether a graph is a torus, mesh, ring, fully connected group or hierarchy of switches, and
// finds the position of each node in it. With `levels`, a fabric of several switches may count as one switch
// of a hierarchy (fabrics.h). Any other graph is numbered canonically. Uses find_symmetries(); the time is
// nearly linear in the number of channels.
std::shared_ptr<const Likeness> find_likeness(const Topology& graph, bool levels = true);

}  // namespace coppice::topology
