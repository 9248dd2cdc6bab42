#pragma once

#include <functional>

#include "schedule/trees/scheduled_trees.h"

namespace coppice::schedule {

// Returns the trees that `build` makes for the network, or for the network without its slowest links if these
// trees are faster. Omitting slow links may help, because a timestep lasts as long as the transfer of a piece
// over the slowest channel. Links are removed in both directions, the slowest first, as long as all
// accelerators can still reach each other. For a network with a single bandwidth, `build` is called only
// once.
Trees build_without_slow_links(const topology::Topology& topology,
                               const std::function<Trees(const topology::Topology&)>& build);

}  // namespace coppice::schedule
