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

// Returns tori, meshes and fully connected groups that have the same numbers of accelerators, links, and
// nodes at each distance as the graph. The result is empty if the graph has switches, or links that are not
// equally fast in both directions.
std::vector<LikelyNetwork> likely_grids(const Topology& graph);

// Returns hierarchies that have the same numbers and sizes of switches, and the same links of switches, as
// the graph. The result is empty if the graph has no switches.
std::vector<LikelyNetwork> likely_hierarchies(const Topology& graph);

}  // namespace coppice::topology
