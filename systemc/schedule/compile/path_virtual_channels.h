#pragma once

#include <span>
#include <vector>

#include "schedule/compile/channel_paths.h"
#include "topology/routing/routing.h"

namespace coppice::schedule {

// [path][hop]: the virtual channels that the hop may use.
using PathVcs = std::vector<std::vector<topology::VcRange>>;

// Assigns virtual channels such that source routes along `paths` cannot deadlock under any timing. A path
// stays in its layer of virtual channels until a hop would close a cycle of channel dependencies; from that
// hop on, it uses the next layer. The `vcs` virtual channels are split evenly among the layers. A channel on
// which paths only begin or only end cannot be part of a cycle and may use all virtual channels. Throws
// UnsupportedError if there are more layers than virtual channels.
PathVcs assign_vcs(const topology::Topology& topology, std::span<const ChannelPath> paths, int vcs);

}  // namespace coppice::schedule
