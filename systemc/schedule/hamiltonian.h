#pragma once

#include <vector>

#include "topology/topology.h"

namespace coppice::schedule {

// Every accelerator once, each (but perhaps the first) a neighbour of the one before it.
struct RingOrder {
  std::vector<topology::NodeId> nodes;
  bool closed = true;  // the first is a neighbour of the last as well (or there is only one)
};

// A Hamiltonian cycle over neighbouring accelerators of a torus or mesh wherever there is one: tori of any
// widths, meshes of two or more dimensions (wider than 1) with an even number of nodes, and two nodes.
// Elsewhere (a line, a mesh of odd size) a Hamiltonian path, not closed. The cycle views the graph as k x L,
// one dimension by a boustrophedon path through all others.
RingOrder ring_order(const topology::Topology& topology);

}  // namespace coppice::schedule
