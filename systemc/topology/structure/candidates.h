#pragma once

#include <optional>
#include <vector>

#include "topology/networks/hierarchy.h"
#include "topology/topology.h"

namespace coppice::topology {

// A built-in network whose node and link counts match those of a graph.
struct LikelyNetwork {
  Topology network;
  std::vector<DimensionSpec> dimensions = {};  // of a hierarchy; otherwise empty
};

// Tori, meshes and fully connected groups with the graph's numbers of accelerators, links, and nodes at each
// distance. Empty for graphs with switches, or with links that are not equally fast in both directions.
std::vector<LikelyNetwork> likely_grids(const Topology& graph);

// Hierarchies with the graph's numbers and sizes of switches and their links. Empty for graphs without
// switches.
std::vector<LikelyNetwork> likely_hierarchies(const Topology& graph);

}  // namespace coppice::topology
