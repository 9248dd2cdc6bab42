#pragma once

#include <vector>

#include "topology/topology.h"

namespace coppice::schedule {

// Every accelerator once; on a grid, each (but perhaps the first) a neighbour of the one before it.
struct RingOrder {
  std::vector<topology::NodeId> nodes;
  bool closed = true;  // the first is a neighbour of the last as well (or there is only one)
};

// The order of accelerators in a ring.
// Torus, mesh, hierarchy and what else lies on a grid: a Hamiltonian cycle over neighbours wherever there is
// one, that is, on tori of any widths, meshes of two or more dimensions (wider than 1) with an even number of
// nodes, and two nodes. Elsewhere (a line, a mesh of odd size) a Hamiltonian path, not closed. The cycle
// views the graph as k x L, one dimension by a boustrophedon path through all others. Other graphs without
// switches: a Hamiltonian cycle if a bounded search finds one. Else, and with switches: from accelerator 0
// always on to the nearest that is left, the lowest first.
RingOrder ring_order(const topology::Topology& topology);

}  // namespace coppice::schedule
