#pragma once

#include <memory>
#include <string>

#include "config/config.h"
#include "fabric/router_stand_in.h"
#include "topology/topology.h"

namespace coppice::cosim {

// Why Verilated routers cannot make up such a network, and what would be right; empty if they can.
std::string refuse_routers(const config::SystemConfig& system, const topology::Topology& topology,
                           int ni_ports);

// rtl/router/router.v, Verilated, in the place of fabric::Router. Its flits carry their packet's identity and
// place in it as data, and the hop of this router as their source route.
std::unique_ptr<fabric::RouterStandIn> make_rtl_router(topology::NodeId node, int ports,
                                                       const config::RouterConfig& config,
                                                       fabric::RouterEnvironment& environment);

}  // namespace coppice::cosim
