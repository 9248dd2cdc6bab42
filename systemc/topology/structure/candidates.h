#pragma once

#include <optional>
#include <vector>

#include "topology/networks/hierarchy.h"
#include "topology/topology.h"

namespace coppice::topology {

// A built-in network with the same numbers of nodes and links as a graph.
struct LikelyNetwork {
  Topology network;
  std::vector<DimensionSpec> dimensions = {};  // dimensions of a hierarchy; otherwise empty
};

// Returns the tori, meshes and fully connected groups that the graph may be, judging by the number of
// accelerators, the number of channels and, for grids, the number of nodes at each distance from one node.
// The result is empty if the graph has switches.
std::vector<LikelyNetwork> likely_grids(const Topology& graph);

// Returns the hierarchy or switch network that the graph may be, judging by the numbers, sizes and links of
// its switches. The result is empty if there is none, for example because the graph has no switches.
std::vector<LikelyNetwork> likely_hierarchies(const Topology& graph);

}  // namespace coppice::topology
