#pragma once

#include <functional>

#include "schedule/trees/scheduled_trees.h"

namespace coppice::schedule {

// The trees that `build` makes for the network, or for the network without its slowest links if these cost
// more time than they save: a timestep lasts as long as a piece on the slowest channel. Links are removed in
// both directions, the slowest first, as long as all accelerators can still reach each other. For a network
// with a single bandwidth, `build` is called once.
Trees build_without_slow_links(const topology::Topology& topology,
                               const std::function<Trees(const topology::Topology&)>& build);

}  // namespace coppice::schedule
