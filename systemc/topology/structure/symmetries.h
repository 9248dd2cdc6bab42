#pragma once

#include <vector>

#include "topology/topology.h"

namespace coppice::topology {

// The symmetries of a network: the renumberings of its nodes under which it has the same channels, of the
// same bandwidth and latency, between nodes of the same sort (accelerators, switches).
struct Symmetries {
  // Generators of the group of all symmetries: [node] its image.
  std::vector<std::vector<NodeId>> generators;
  double size = 1;  // size of the group; may be infinite, since symmetries grow fast with the network
  // [node]: its place in a canonical numbering, independent of the given one: graphs that differ only in the
  // numbers of nodes and the order of channels become equal.
  std::vector<NodeId> labels;
};

// Uses the library bliss, in nearly linear time in the number of channels on the built-in networks (Junttila
// and Kaski, ALENEX 2007).
Symmetries find_symmetries(const Topology& topology);

// Sets of nodes that symmetries take to each other, each ascending, the sets by their first node.
std::vector<std::vector<NodeId>> orbits_of(const Topology& topology, const Symmetries& symmetries);

}  // namespace coppice::topology
