#pragma once

#include <string>

#include "topology/topology.h"

namespace coppice::topology {

// What a network's algorithms can rely on, as text: the built-in network that it is, its dimensions, planes,
// symmetries and the groups that hold an all-reduce up most.
std::string describe_structure(const Topology& topology);

}  // namespace coppice::topology
