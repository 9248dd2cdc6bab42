#pragma once

#include <memory>

#include "topology/routing/detour_routing.h"

namespace coppice::topology {

// Implements make_detour_routing() for a fat tree with dims [k, n].
std::unique_ptr<DetourRouting> make_fat_tree_detours(const Topology& topology, int vcs, Detours detours);

}  // namespace coppice::topology
