#pragma once

#include <memory>

#include "topology/routing/detour_routing.h"
#include "topology/routing/routing.h"
#include "topology/topology.h"

namespace coppice::topology {

// Minimal routing on a dragonfly (Kim, Dally, Scott and Abts 2008): at most a channel in the source's group,
// one between the groups and one in the destination's. Of parallel links between two groups it takes one at
// the router where the packet is, else the one that the destination's number chooses. Half of the virtual
// channels serve before the channel between the groups, the others after it, so that no dependencies close a
// cycle. Throws UnsupportedError if `vcs` is not 2 to 255, 1 being enough where there is one group, or one
// router in each.
std::unique_ptr<RoutingFunction> make_dragonfly_routing(const Topology& topology, int vcs);

// make_detour_routing() for a dragonfly: a packet takes at most one channel in every group that it passes.
// The c-th third of the virtual channels serves after c channels between groups.
std::unique_ptr<DetourRouting> make_dragonfly_detours(const Topology& topology, int vcs, Detours detours);

}  // namespace coppice::topology
