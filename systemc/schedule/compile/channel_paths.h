#pragma once

#include <vector>

#include "topology/topology.h"

namespace coppice::schedule {

// Channels from one accelerator to another, each beginning where the one before it ends.
using ChannelPath = std::vector<topology::ChannelId>;

// The fastest channel from `src` to `dst`; ties are broken by the lowest latency, then by out-channel order.
// -1 if they are not neighbours.
topology::ChannelId find_channel(const topology::Topology& topology, topology::NodeId src,
                                 topology::NodeId dst);

// The reverse of every channel: among equally fast channels, the k-th channel from u to v pairs with the k-th
// last from v to u, so that the two directions of a torus dimension of width 2 are paired as in wider
// dimensions. Throws UnsupportedError if a channel has no reverse.
std::vector<topology::ChannelId> reverse_channels(const topology::Topology& topology);

}  // namespace coppice::schedule
