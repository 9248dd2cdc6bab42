#pragma once

#include <memory>

#include "config/loader.h"
#include "topology/routing/routing.h"
#include "topology/topology.h"

namespace coppice::system {

// The ways of packets without a route of their own, as system.router.routing says, proven free of deadlock.
// Throws ConfigError where the topology has no such routing, or could deadlock.
std::unique_ptr<topology::RoutingFunction> make_packet_routing(const config::Loaded& loaded,
                                                               const topology::Topology& topology);

}  // namespace coppice::system
