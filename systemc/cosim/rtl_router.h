#pragma once

#include <memory>
#include <string>

#include "config/settings/config.h"
#include "cosim/flit_contents.h"
#include "fabric/flits/router_module.h"
#include "schedule/tables/schedule.h"
#include "topology/topology.h"

namespace coppice::cosim {

// Why Verilated routers cannot make up such a network, and what would be right; empty if they can.
std::string refuse_routers(const config::SystemConfig& system, const schedule::Schedule& schedule,
                           const topology::Topology& topology, int ni_ports);

// rtl/router/router.v, Verilated: binds to the same channels as fabric::SystemCRouter, in the same cycles.
// Flits go through it as their 128 bits, heads with their source routes; what comes out is what travels on.
// Throws ModelError where a flit leaves through another output than its route names. All references outlive
// it.
std::unique_ptr<fabric::RouterModule> make_rtl_router(const fabric::RouterSpec& spec,
                                                      fabric::FlitContext& flits, FlitContents& contents);

}  // namespace coppice::cosim
