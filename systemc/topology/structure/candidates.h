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

// Tori, meshes and fully connected groups of as many accelerators with such links: those whose numbers of
// nodes at each distance are the graph's. None for graphs with switches, or whose links are not as fast both
// ways.
std::vector<LikelyNetwork> likely_grids(const Topology& graph);

// Hierarchies with as many switches of such sizes and links. None for graphs without switches.
std::vector<LikelyNetwork> likely_hierarchies(const Topology& graph);

}  // namespace coppice::topology
