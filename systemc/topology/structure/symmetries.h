#pragma once

#include <vector>

#include "topology/topology.h"

namespace coppice::topology {

// The symmetries of a network: renumberings of its nodes that preserve channels, bandwidths, latencies and
// node kinds (accelerator or switch).
struct Symmetries {
  // Generators of the group of all symmetries. Each generator contains the image of every node.
  std::vector<std::vector<NodeId>> generators;
  double size = 1;  // order of the group; it grows quickly with the network and may overflow to infinity
  // [node]: the number of the node in a canonical numbering. If two graphs differ only in the numbers of
  // nodes and the order of channels, renumbering both in this way makes them equal.
  std::vector<NodeId> labels;
};

// Finds symmetries with the bliss library (Junttila and Kaski, ALENEX 2007). For the built-in networks, the
// time is nearly linear in the number of channels.
Symmetries find_symmetries(const Topology& topology);

// Returns the orbits of nodes under the symmetries. Each orbit is in ascending order, and orbits are sorted
// by their first node.
std::vector<std::vector<NodeId>> orbits_of(const Topology& topology, const Symmetries& symmetries);

}  // namespace coppice::topology
