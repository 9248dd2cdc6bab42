#pragma once

#include <memory>

#include "config/loader.h"
#include "topology/routing/routing.h"
#include "topology/topology.h"

namespace coppice::system {

// The routing of packets without a source route, by system.router.routing, proven free of deadlock. Throws
// ConfigError if the topology has no such routing, or if it could deadlock.
std::unique_ptr<topology::RoutingFunction> make_packet_routing(const config::Loaded& loaded,
                                                               const topology::Topology& topology);

}  // namespace coppice::system
