#pragma once

#include <vector>

#include "topology/topology.h"

namespace coppice::schedule {

// The channels from one accelerator to another. Each channel begins where the previous one ends.
using ChannelPath = std::vector<topology::ChannelId>;

// The fastest channel from `src` to `dst`; ties are broken by the lowest latency, then by out-channel order.
// Returns -1 if the nodes are not neighbours.
topology::ChannelId find_channel(const topology::Topology& topology, topology::NodeId src,
                                 topology::NodeId dst);

// [channel]: its reverse. Among equally fast channels, the k-th channel from u to v is paired with the k-th
// last channel from v to u, so that a torus dimension of width 2 is paired like wider dimensions. Throws
// UnsupportedError if a channel has no reverse.
std::vector<topology::ChannelId> reverse_channels(const topology::Topology& topology);

}  // namespace coppice::schedule
