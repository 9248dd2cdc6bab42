#pragma once

#include <span>
#include <vector>

#include "schedule/compile/channel_paths.h"
#include "topology/routing/routing.h"

namespace coppice::schedule {

// The virtual channels of every path's hops: [path][hop].
using PathVcs = std::vector<std::vector<topology::VcRange>>;

// Virtual channels on which source routes along `paths` cannot deadlock under any timing. A path stays in its
// layer of virtual channels until a hop would close a cycle of channel dependencies; there it moves up to the
// next layer. `vcs` are split evenly among the layers. A channel on which paths only begin or only end is not
// part of any cycle and can use all VCs. Throws UnsupportedError if there are fewer `vcs` than layers.
PathVcs assign_vcs(const topology::Topology& topology, std::span<const ChannelPath> paths, int vcs);

}  // namespace coppice::schedule
