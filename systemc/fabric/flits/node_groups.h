#pragma once

#include <vector>

#include "topology/topology.h"

namespace coppice::fabric {

// Divides the nodes into at most `groups` groups, one per thread, and returns the group of each node. The
// nodes of a group have consecutive numbers, and no group is empty. All groups have about the same number of
// channels, because the time that a group takes is roughly proportional to that number.
std::vector<int> group_nodes(const topology::Topology& topology, int groups);

}  // namespace coppice::fabric
