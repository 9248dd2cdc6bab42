#pragma once

#include <optional>
#include <vector>

#include "topology/networks/hierarchy.h"
#include "topology/topology.h"

namespace coppice::topology {

// A built-in network that a graph could be, by counts alone.
struct LikelyNetwork {
  Topology network;
  std::vector<DimensionSpec> dimensions = {};  // of a hierarchy
};

// Tori, meshes and fully connected groups with as many accelerators and such links, whose numbers of nodes at
// each distance equal the graph's. Empty for graphs with switches, or with links that are not equally fast
// both ways.
std::vector<LikelyNetwork> likely_grids(const Topology& graph);

// Hierarchies with as many switches of these sizes and links. Empty for graphs without switches.
std::vector<LikelyNetwork> likely_hierarchies(const Topology& graph);

}  // namespace coppice::topology
