#pragma once

#include <memory>

#include "topology/routing/routing.h"
#include "topology/topology.h"

namespace coppice::topology {

// Creates dimension-order routing for a HyperX. A path has one channel for each dimension in which source and
// destination differ, lowest dimension first, on any virtual channel. Throws UnsupportedError if `vcs` is not
// between 1 and 255.
std::unique_ptr<RoutingFunction> make_hyperx_routing(const Topology& topology, int vcs);

}  // namespace coppice::topology
