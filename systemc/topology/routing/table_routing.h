#pragma once

#include <memory>

#include "topology/routing/routing.h"
#include "topology/topology.h"

namespace coppice::topology {

// Routing between the accelerators of any topology by a table per destination, free of deadlock on the given
// virtual channels. Paths have the fewest channels; equally short paths to a destination are spread over
// channels by load per bandwidth, in a fixed order (on a k-ary n-tree: destination mod k). A path that would
// close a cycle of channel dependencies moves up to a higher layer of virtual channels at that hop (the
// layers split the virtual channels evenly; there are as many as needed). If `vcs` has too few layers, paths
// are the shortest of up*/down* form instead (Schroeder et al. 1991), on all virtual channels.
// RouteState::dateline_class holds the layer, or whether the path has turned down. Routes from or to a switch
// are not covered. Throws UnsupportedError if accelerators cannot reach each other, if `vcs` is not 1 to 255,
// or if one-way channels leave no up*/down* path either.
std::unique_ptr<RoutingFunction> make_table_routing(const Topology& topology, int vcs);

}  // namespace coppice::topology
