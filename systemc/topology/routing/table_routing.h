#pragma once

#include <memory>

#include "topology/routing/routing.h"
#include "topology/topology.h"

namespace coppice::topology {

// Deadlock-free routing between the accelerators of any topology by a table per destination. Paths have the
// fewest possible channels; equally short paths to a destination are spread over channels by load per
// bandwidth, in a fixed order (on a k-ary n-tree: destination mod k). A path that would close a cycle of
// channel dependencies moves to a higher layer of virtual channels at that hop; there are as many layers as
// needed, which divide the virtual channels evenly. If `vcs` is too small for these layers, paths are instead
// the shortest up*/down* paths (Schroeder et al. 1991), on all virtual channels. RouteState::dateline_class
// contains the layer, or whether the path has turned down. There are no routes from or to switches. Throws
// UnsupportedError if accelerators cannot reach each other, if `vcs` is not 1 to 255, or if one-way channels
// prevent even up*/down* paths.
std::unique_ptr<RoutingFunction> make_table_routing(const Topology& topology, int vcs);

}  // namespace coppice::topology
