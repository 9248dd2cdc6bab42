#pragma once

#include <string>

#include "topology/topology.h"

namespace coppice::topology {

// Describes the structure that algorithms exploit: the equivalent built-in network, dimensions, planes,
// symmetries, and the groups that limit the time of an all-reduce.
std::string describe_structure(const Topology& topology);

}  // namespace coppice::topology
