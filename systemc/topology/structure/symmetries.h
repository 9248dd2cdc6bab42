#pragma once

#include <vector>

#include "topology/topology.h"

namespace coppice::topology {

// The symmetries of a network: renumberings of its nodes that preserve channels, bandwidths, latencies and
// node kinds (accelerator or switch).
struct Symmetries {
  // Generators of the group of all symmetries, each with [node]: its image.
  std::vector<std::vector<NodeId>> generators;
  double size = 1;  // order of the group, which grows fast with the network and may overflow to infinity
  // [node]: its number in a canonical numbering. Graphs that differ only in node numbers and channel order
  // become equal if they are renumbered with it.
  std::vector<NodeId> labels;
};

// Finds symmetries with the bliss library (Junttila and Kaski, ALENEX 2007). For the built-in networks, the
// time is nearly linear in the number of channels.
Symmetries find_symmetries(const Topology& topology);

// The orbits of nodes under the symmetries, each in ascending order, sorted by their first node.
std::vector<std::vector<NodeId>> orbits_of(const Topology& topology, const Symmetries& symmetries);

}  // namespace coppice::topology
