#pragma once

#include <functional>

#include "schedule/trees/scheduled_trees.h"

namespace coppice::schedule {

// The trees that `build` makes for the network, or for the network without its slowest links if those cost
// more than they carry: a timestep lasts as long as a piece on the slowest channel. Links are left out by
// bandwidth, the slowest first, both directions together, as long as all accelerators still reach each other.
// A network of one bandwidth is built once.
Trees build_without_slow_links(const topology::Topology& topology,
                               const std::function<Trees(const topology::Topology&)>& build);

}  // namespace coppice::schedule
