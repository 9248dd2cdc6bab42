#pragma once

#include <vector>

#include "topology/topology.h"

namespace coppice::topology {

// The symmetries of a network: the renumberings of its nodes that preserve its channels, their bandwidths and
// latencies, and the kinds of nodes (accelerators, switches).
struct Symmetries {
  // Generators of the group of all symmetries: [node]: its image.
  std::vector<std::vector<NodeId>> generators;
  double size = 1;  // the order of the group; may be infinite, since it grows fast with the network
  // [node]: its position in a canonical numbering, independent of the given one: graphs that differ only in
  // the numbers of nodes and the order of channels become equal.
  std::vector<NodeId> labels;
};

// Finds symmetries with the library bliss, in time nearly linear in the number of channels on the built-in
// networks (Junttila and Kaski, ALENEX 2007).
Symmetries find_symmetries(const Topology& topology);

// The orbits of nodes under the symmetries, each in ascending order, sorted by their first node.
std::vector<std::vector<NodeId>> orbits_of(const Topology& topology, const Symmetries& symmetries);

}  // namespace coppice::topology
