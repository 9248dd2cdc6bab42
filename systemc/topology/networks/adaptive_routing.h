#pragma once

#include <memory>

#include "topology/routing/detour_routing.h"
#include "topology/topology.h"

namespace coppice::topology {

// On a torus, mesh or ring (dimension-order routing between the nodes), a dragonfly, and a fat tree of dims
// [k, n].
//
// kValiant: by way of an accelerator drawn for each packet (Valiant and Brebner 1981), with a half of the
// virtual channels for each part of the way; on a dragonfly by way of a group drawn, with a third of them
// between its channels from group to group; on a fat tree up through switches drawn, as far as is needed.
// kAdaptive: of the shortest ways the one with the fewest flits waiting; on a torus or mesh the first virtual
// channels (two on a torus, else one) are for dimension-order routing.
// kUgal (Singh 2005): the first router chooses between the shortest way and kValiant's by what waits there,
// times the channels of each way.
//
// Throws UnsupportedError for other kinds, and for too few virtual channels.
std::unique_ptr<DetourRouting> make_detour_routing(const Topology& topology, int vcs, Detours detours);

}  // namespace coppice::topology
