#pragma once

#include <optional>
#include <vector>

#include "topology/networks/hierarchy.h"
#include "topology/topology.h"

namespace coppice::topology {

// A built-in network whose counts match those of a graph.
struct LikelyNetwork {
  Topology network;
  std::vector<DimensionSpec> dimensions = {};  // those of a hierarchy; otherwise empty
};

// Tori, meshes and fully connected groups with the graph's number of accelerators and links, and with equal
// numbers of nodes at each distance. Empty for graphs with switches, or with links that are not equally fast
// in both directions.
std::vector<LikelyNetwork> likely_grids(const Topology& graph);

// Hierarchies with the graph's numbers, sizes and links of switches. Empty for graphs without switches.
std::vector<LikelyNetwork> likely_hierarchies(const Topology& graph);

}  // namespace coppice::topology
