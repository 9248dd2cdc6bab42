#pragma once

#include <optional>

#include "topology/topology.h"

namespace coppice::topology {

// Returns a copy of the graph in which each fabric of several switches (leaves and spines) is replaced by one
// switch. Half of the latency across the fabric is added to each channel of this switch. If the accelerators
// on the fabric are also joined by other links into boxes of equal size, the fabric is instead replaced by
// one switch for each rail. A rail consists of the accelerators on corresponding leaves or, if a leaf serves
// a whole box, of the accelerators of one rank in all boxes.
//
// Accelerators keep their numbers, and messages between them use the graph's own routes. Returns nullopt if
// there are no such fabrics, or if a switch has less bandwidth to other switches than to accelerators. In the
// latter case, the fabric could delay messages that a single switch would not delay.
std::optional<Topology> join_fabrics(const Topology& graph);

}  // namespace coppice::topology
