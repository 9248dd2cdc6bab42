#pragma once

#include <vector>

#include "topology/topology.h"

namespace coppice::topology {

// A part of a network that connects all accelerators and shares no channel with the network's other planes:
// one of several equal switches, one fabric of a machine with several, or the fastest of parallel links.
struct Plane {
  Topology network;                 // of kind kFile; accelerators keep their numbers
  std::vector<NodeId> nodes;        // [node of the plane]: node of the network
  std::vector<ChannelId> channels;  // [channel of the plane]: channel of the network
  // The least bandwidth into or out of an accelerator.
  Bandwidth bandwidth;
};

// The planes of a network, each strongly connected: one for each fabric of switches (connected components
// without the accelerators), or one per rank of the parallel channels between two nodes, the fastest first.
// Empty if there is only one, or if a part of the network belongs to none.
std::vector<Plane> find_planes(const Topology& network);

}  // namespace coppice::topology
