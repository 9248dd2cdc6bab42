#pragma once

#include <vector>

#include "topology/topology.h"

namespace coppice::fabric {

// Assigns nodes to groups for threads: nodes of a group have adjacent numbers, and the groups have about the
// same number of channels, which determine the cost. Returns the group of each node; there are at most
// `groups`, and none is empty.
std::vector<int> group_nodes(const topology::Topology& topology, int groups);

}  // namespace coppice::fabric
