#pragma once

#include <memory>

#include "topology/routing/detour_routing.h"
#include "topology/routing/routing.h"
#include "topology/topology.h"

namespace coppice::topology {

// Creates minimal routing for a dragonfly (Kim, Dally, Scott and Abts 2008). A path has at most one channel
// in the group of the source, one between the groups and one in the group of the destination. If there are
// parallel links between the two groups, a link at the packet's current router is preferred; otherwise, the
// number of the destination selects one of them. To prevent cyclic dependencies, half of the virtual channels
// are used before the channel between the groups, and the other half after it. Throws UnsupportedError if
// `vcs` is not between 2 and 255; 1 is sufficient if there is only one group or only one router per group.
std::unique_ptr<RoutingFunction> make_dragonfly_routing(const Topology& topology, int vcs);

// Implements make_detour_routing() for a dragonfly. A packet takes at most one channel in every group that it
// visits. The virtual channels are divided into thirds 0 to 2; after `c` channels between groups, a packet
// uses third `c`.
std::unique_ptr<DetourRouting> make_dragonfly_detours(const Topology& topology, int vcs, Detours detours);

}  // namespace coppice::topology
