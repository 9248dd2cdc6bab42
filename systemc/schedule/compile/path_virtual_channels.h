#pragma once

#include <span>
#include <vector>

#include "schedule/compile/channel_paths.h"
#include "topology/routing/routing.h"

namespace coppice::schedule {

// The virtual channels of every path's hops: [path][hop].
using PathVcs = std::vector<std::vector<topology::VcRange>>;

// Virtual channels on which source routes along `paths` cannot deadlock with any timing. A path stays in
// its layer of virtual channels while that closes no cycle of channel dependencies there, and else moves up
// to the next at that hop; `vcs` are split evenly among the layers that are needed. A channel that only
// begins or only ends paths is on no cycle and may use them all. Throws UnsupportedError if `vcs` are fewer
// than the layers.
PathVcs assign_vcs(const topology::Topology& topology, std::span<const ChannelPath> paths, int vcs);

}  // namespace coppice::schedule
