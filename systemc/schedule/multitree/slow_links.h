#pragma once

#include <functional>

#include "schedule/trees/scheduled_trees.h"

namespace coppice::schedule {

// The trees that `build` makes of the network, or of the network without its slowest links where those cost
// more than they carry: a timestep lasts as long as a piece on the slowest channel. Links are left out by
// bandwidth, the slowest first, both directions together, for as long as all accelerators reach each other.
// Networks of one bandwidth are built once.
Trees build_without_slow_links(const topology::Topology& topology,
                               const std::function<Trees(const topology::Topology&)>& build);

}  // namespace coppice::schedule
