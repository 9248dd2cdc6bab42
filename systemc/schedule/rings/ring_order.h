#pragma once

#include <vector>

#include "topology/topology.h"

namespace coppice::schedule {

// An order that contains each accelerator once. On a grid, consecutive accelerators are neighbours.
struct RingOrder {
  std::vector<topology::NodeId> nodes;
  bool closed = true;  // whether the last accelerator is a neighbour of the first, or there is only one
};

// Returns the order of accelerators in a ring. On grids (tori, meshes, hierarchies and others), it is a
// Hamiltonian cycle over neighbours if one exists. This is the case on tori of any widths, on meshes with an
// even number of nodes and at least two dimensions wider than 1, and for two nodes. On other grids, such as a
// line or a mesh with an odd number of nodes, it is a Hamiltonian path, which is not closed. To find the
// cycle, the graph is treated as a k x L grid, where k is the width of one dimension and L the length of a
// boustrophedon path through all other dimensions. For other graphs without switches, the order is a
// Hamiltonian cycle if a bounded search finds one. In all other cases, it starts at accelerator 0 and
// continues with the nearest remaining accelerator; ties go to the lowest number.
RingOrder ring_order(const topology::Topology& topology);

}  // namespace coppice::schedule
