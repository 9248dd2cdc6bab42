#pragma once

#include <functional>

#include "schedule/trees/scheduled_trees.h"

namespace coppice::schedule {

// The trees that `build` returns for the network, or for the network without its slowest links if that is
// faster: a timestep lasts as long as a piece takes on the slowest channel. Links are removed in both
// directions, the slowest first, as long as all accelerators can still reach each other. For a network with a
// single bandwidth, `build` is called once.
Trees build_without_slow_links(const topology::Topology& topology,
                               const std::function<Trees(const topology::Topology&)>& build);

}  // namespace coppice::schedule
