#pragma once

#include <optional>

#include "topology/topology.h"

namespace coppice::topology {

// Returns a copy of the graph in which each fabric of several switches (leaves and spines) is one switch,
// whose channels have the latency of the path to the middle of the fabric. If other links join the fabric's
// accelerators to boxes of equal size, it becomes one switch for each rail instead: for the accelerators on
// corresponding leaves or, if a leaf serves a whole box, of one rank in all boxes. Accelerators keep their
// numbers, and messages between them use the graph's own routes. Returns nullopt if there are no such
// fabrics, or if a switch has less bandwidth to other switches than to accelerators, since the fabric would
// then delay messages that a single switch would not delay.
std::optional<Topology> join_fabrics(const Topology& graph);

}  // namespace coppice::topology
