#pragma once

#include <memory>

#include "topology/routing/detour_routing.h"
#include "topology/topology.h"

namespace coppice::topology {

// Routing with detours on a torus, mesh or ring (with dimension-order routing between the nodes), a
// dragonfly, or a fat tree with dims [k, n]. kValiant routes each packet through a randomly drawn accelerator
// (Valiant and Brebner 1981), with half of the virtual channels for each part of the path; on a dragonfly,
// through a random group, with a third of the virtual channels for each group on the path; on a fat tree, up
// through random switches, as far as needed. kAdaptive uses the shortest path with the fewest waiting flits;
// on a torus or mesh, the first virtual channels (two on a torus, otherwise one) are reserved for
// dimension-order routing. With kUgal (Singh 2005), the first router chooses between the shortest path and
// kValiant's path: the one with the smaller product of waiting flits and channels. Throws UnsupportedError
// for other kinds and for too few virtual channels.
std::unique_ptr<DetourRouting> make_detour_routing(const Topology& topology, int vcs, Detours detours);

}  // namespace coppice::topology
