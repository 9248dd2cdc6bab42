#pragma once

#include <memory>

#include "config/loader.h"
#include "topology/routing/routing.h"
#include "topology/topology.h"

namespace coppice::system {

// Creates the routing for packets without source routes that system.router.routing selects, and proves it
// free of deadlock. Throws ConfigError if the topology does not support it or it could deadlock.
std::unique_ptr<topology::RoutingFunction> make_packet_routing(const config::Loaded& loaded,
                                                               const topology::Topology& topology);

}  // namespace coppice::system
