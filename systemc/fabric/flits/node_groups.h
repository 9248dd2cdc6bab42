#pragma once

#include <vector>

#include "topology/topology.h"

namespace coppice::fabric {

// The group of each node, for threads: groups of nodes with adjacent numbers and about equally many channels,
// which determine the cost. At most `groups`, none of them empty.
std::vector<int> group_nodes(const topology::Topology& topology, int groups);

}  // namespace coppice::fabric
