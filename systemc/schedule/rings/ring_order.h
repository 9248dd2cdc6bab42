#pragma once

#include <vector>

#include "topology/topology.h"

namespace coppice::schedule {

// All accelerators, each once; on a grid, consecutive accelerators are neighbours.
struct RingOrder {
  std::vector<topology::NodeId> nodes;
  bool closed = true;  // the last accelerator is also a neighbour of the first, or there is only one
};

// The order of accelerators in a ring. On tori, meshes, hierarchies and other grids it is a Hamiltonian cycle
// over neighbours if one exists: on tori of any widths, on meshes of two or more dimensions (wider than 1)
// with an even number of nodes, and for two nodes. On other grids (a line, a mesh of odd size) it is a
// Hamiltonian path, which is not closed. The cycle treats the graph as a k x L grid, in which k is the width
// of one dimension and L the length of a boustrophedon path through all others. For other graphs without
// switches it is a Hamiltonian cycle if a bounded search finds one. Otherwise, and with switches, the order
// starts at accelerator 0 and continues with the nearest remaining accelerator; ties go to the lowest number.
RingOrder ring_order(const topology::Topology& topology);

}  // namespace coppice::schedule
