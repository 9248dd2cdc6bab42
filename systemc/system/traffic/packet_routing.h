#pragma once

#include <memory>

#include "config/loader.h"
#include "topology/routing/routing.h"
#include "topology/topology.h"

namespace coppice::system {

// Creates the routing that system.router.routing selects, for packets without source routes, and proves that
// it cannot deadlock. Throws ConfigError if the topology does not support it or if it could deadlock.
std::unique_ptr<topology::RoutingFunction> make_packet_routing(const config::Loaded& loaded,
                                                               const topology::Topology& topology);

}  // namespace coppice::system
