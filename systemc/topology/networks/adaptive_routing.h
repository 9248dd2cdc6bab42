#pragma once

#include <memory>

#include "topology/routing/detour_routing.h"
#include "topology/topology.h"

namespace coppice::topology {

// Creates routing with detours for a torus, mesh or ring (with dimension-order routing between nodes), a
// dragonfly, or a fat tree with dims [k, n].
//
// kValiant routes each packet through a randomly chosen accelerator (Valiant and Brebner 1981) and uses half
// of the virtual channels for each part of the path. On a dragonfly, it routes through a random group and
// uses a third of the virtual channels for each group on the path. On a fat tree, it routes up through random
// switches, as far as needed. kAdaptive uses the shortest path with the fewest waiting flits. On a torus or
// mesh, it reserves the first virtual channels (two on a torus, otherwise one) for dimension-order routing.
// With kUgal (Singh 2005), the first router compares the shortest path with the path that kValiant would
// take, and chooses the one with the smaller product of waiting flits and channels.
//
// Throws UnsupportedError for other kinds of networks and if there are too few virtual channels.
std::unique_ptr<DetourRouting> make_detour_routing(const Topology& topology, int vcs, Detours detours);

}  // namespace coppice::topology
