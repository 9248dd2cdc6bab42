#pragma once

#include <optional>
#include <vector>

#include "topology/topology.h"

namespace coppice::schedule {

// Two equally fast channels between two accelerators, one in each direction.
struct SymmetricLink {
  topology::NodeId a = topology::kNoNode;
  topology::NodeId b = topology::kNoNode;
  topology::ChannelId there = -1;  // from a to b
  topology::ChannelId back = -1;

  topology::NodeId other_end(topology::NodeId end) const { return a == end ? b : a; }
  topology::ChannelId from(topology::NodeId end) const { return a == end ? there : back; }
};

// All channels as symmetric links; parallel links remain separate. Returns nullopt if there are switches or
// if a channel lacks an equally fast reverse channel.
std::optional<std::vector<SymmetricLink>> symmetric_links(const topology::Topology& topology);

// [channel]: the reverse channel of the same bandwidth. Parallel channels are paired in order of bandwidth.
// Returns nullopt if a channel has no such reverse channel.
std::optional<std::vector<topology::ChannelId>> twins_of(const topology::Topology& topology);

}  // namespace coppice::schedule
