#pragma once

#include <memory>

#include "topology/routing/detour_routing.h"

namespace coppice::topology {

// Implements make_detour_routing() for a torus, mesh or ring.
std::unique_ptr<DetourRouting> make_grid_detours(const Topology& topology, int vcs, Detours detours);

}  // namespace coppice::topology
