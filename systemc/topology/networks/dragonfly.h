#pragma once

#include <memory>

#include "topology/routing/detour_routing.h"
#include "topology/routing/routing.h"
#include "topology/topology.h"

namespace coppice::topology {

// Minimal routing on a dragonfly (Kim, Dally, Scott and Abts 2008): at most one channel in the source's
// group, one between the groups and one in the destination's group. Among parallel links between two groups,
// it prefers a link at the packet's current router, and otherwise selects one by the destination's number. To
// prevent cyclic dependencies, half of the virtual channels are used before the channel between the groups,
// the other half after it. Throws UnsupportedError if `vcs` is not 2 to 255; 1 is sufficient if there is only
// one group, or one router per group.
std::unique_ptr<RoutingFunction> make_dragonfly_routing(const Topology& topology, int vcs);

// make_detour_routing() for a dragonfly: a packet takes at most one channel in every group that it visits.
// The packet uses the c-th third of the virtual channels, counted from 0, after c channels between groups.
std::unique_ptr<DetourRouting> make_dragonfly_detours(const Topology& topology, int vcs, Detours detours);

}  // namespace coppice::topology
