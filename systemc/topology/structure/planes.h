#pragma once

#include <vector>

#include "topology/topology.h"

namespace coppice::topology {

// A plane is a part of a network that connects all accelerators and shares no channel with other planes.
// Examples are one of several identical switches, one of several fabrics, or all links that are the fastest
// of the parallel links between their two nodes.
struct Plane {
  Topology network;                 // of kind kFile; accelerators keep their numbers
  std::vector<NodeId> nodes;        // [node of the plane]: node of the network
  std::vector<ChannelId> channels;  // [channel of the plane]: channel of the network
  // The minimum bandwidth into or out of an accelerator.
  Bandwidth bandwidth;
};

// Finds the planes of a network. Every plane is strongly connected. Planes are formed in two ways: there is
// one plane per switch fabric (a connected component of the network without accelerators), or the parallel
// channels between two nodes are ranked from fastest to slowest, and there is one plane per rank. The result
// is empty if there is only one plane, or if a part of the network belongs to no plane.
std::vector<Plane> find_planes(const Topology& network);

}  // namespace coppice::topology
