#pragma once

#include <optional>
#include <vector>

#include "topology/topology.h"

namespace coppice::topology {

// A graph whose fabrics are replaced by single switches.
struct JoinedFabrics {
  Topology network;
  std::vector<ChannelId> channels;  // [channel of the network]: channel of the graph
};

// Returns a copy of the graph in which each fabric of several switches (leaves and spines) is replaced by one
// switch. Half of the latency across the fabric is added to each channel of this switch. If the accelerators
// on the fabric are also joined by other links into boxes of equal size, the fabric is instead replaced by
// one switch for each rail. A rail consists of the accelerators on corresponding leaves or, if a leaf serves
// a whole box, of the accelerators of one rank in all boxes.
//
// Accelerators keep their numbers. Returns nullopt if there are no such fabrics, or if a switch has less
// bandwidth to other switches than to accelerators (by more than 0.1%, to allow for rounding). In the latter
// case, the fabric could delay messages that a single switch would not delay.
std::optional<JoinedFabrics> join_fabrics(const Topology& graph);

}  // namespace coppice::topology
