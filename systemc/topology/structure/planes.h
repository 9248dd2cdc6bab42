#pragma once

#include <vector>

#include "topology/topology.h"

namespace coppice::topology {

// A part of a network that joins all accelerators and shares no channel with the network's other planes: a
// switch among several like it, one fabric of a machine with several, the fastest of parallel links.
struct Plane {
  Topology network;                 // of kind kFile; accelerators keep their numbers
  std::vector<NodeId> nodes;        // [node of the plane]: that of the network
  std::vector<ChannelId> channels;  // [channel of the plane]: that of the network
  // The least bandwidth into an accelerator, or out of one.
  Bandwidth bandwidth;
};

// The planes of a network, each strongly connected: one for each fabric of switches (connected components
// without the accelerators), or one per rank of the parallel channels between two nodes, the fastest first.
// Empty if there is only one, or if a part of the network is in none.
std::vector<Plane> find_planes(const Topology& network);

}  // namespace coppice::topology
