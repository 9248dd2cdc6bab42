#pragma once

#include <vector>

#include "topology/topology.h"

namespace coppice::fabric {

// Assigns nodes to groups for threads: the nodes of a group have adjacent numbers, and all groups have about
// the same number of channels, which determines their cost. Returns the group of each node. There are at most
// `groups` groups, none of them empty.
std::vector<int> group_nodes(const topology::Topology& topology, int groups);

}  // namespace coppice::fabric
