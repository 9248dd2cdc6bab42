#pragma once

#include <memory>

#include "topology/routing/routing.h"
#include "topology/topology.h"

namespace coppice::topology {

// Creates deadlock-free routing between the accelerators of any topology, with a table for each destination.
// Paths have the fewest possible channels. Among equally short paths, those with the lowest loads relative to
// bandwidth are chosen, for one destination after another in a fixed order (on a k-ary n-tree, the choice
// depends on destination mod k).
//
// If a path would close a cycle of channel dependencies, it moves to a higher layer of virtual channels at
// that hop. There are as many layers as needed, and they divide the virtual channels evenly. If `vcs` is too
// small for these layers, paths are instead the shortest up*/down* paths (Schroeder et al. 1991), on all
// virtual channels. RouteState::dateline_class contains the layer, or whether the path has turned down. There
// are no routes from or to switches. Throws UnsupportedError if an accelerator cannot reach another, if `vcs`
// is not between 1 and 255, or if one-way channels make up*/down* paths impossible when they are needed.
std::unique_ptr<RoutingFunction> make_table_routing(const Topology& topology, int vcs);

}  // namespace coppice::topology
