#pragma once

#include <optional>
#include <vector>

#include "topology/topology.h"

namespace coppice::schedule {

// Two channels between two accelerators, one each way and of one bandwidth.
struct SymmetricLink {
  topology::NodeId a = topology::kNoNode;
  topology::NodeId b = topology::kNoNode;
  topology::ChannelId there = -1;  // from a to b
  topology::ChannelId back = -1;

  topology::NodeId other_end(topology::NodeId end) const { return a == end ? b : a; }
  topology::ChannelId from(topology::NodeId end) const { return a == end ? there : back; }
};

// All channels as such links, parallel ones by themselves; nothing where there are switches, or a channel has
// none back of its bandwidth.
std::optional<std::vector<SymmetricLink>> symmetric_links(const topology::Topology& topology);

// The channel back of every channel, of the same bandwidth: the widest of parallel channels first. Nothing if
// a channel has none.
std::optional<std::vector<topology::ChannelId>> twins_of(const topology::Topology& topology);

}  // namespace coppice::schedule
