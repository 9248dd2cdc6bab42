#pragma once

#include <vector>

#include "topology/topology.h"

namespace coppice::fabric {

// The nodes of a network in groups for threads, which of them each node belongs to: neighbours in number, and
// about as many channels in each, since those are what takes time. At most `groups`, none empty.
std::vector<int> group_nodes(const topology::Topology& topology, int groups);

}  // namespace coppice::fabric
