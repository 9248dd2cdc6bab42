#pragma once

#include <memory>
#include <string>

#include "config/settings/config.h"
#include "cosim/flit_contents.h"
#include "fabric/flits/router_module.h"
#include "schedule/tables/schedule.h"
#include "topology/topology.h"

namespace coppice::cosim {

// Returns the reason why Verilated routers cannot form this network, with a remedy; empty if they can.
std::string refuse_routers(const config::SystemConfig& system, const schedule::Schedule& schedule,
                           const topology::Topology& topology, int ni_ports);

// Creates a Verilated rtl/router/router.v. It is bound to the same channels as a fabric::SystemCRouter and
// has the same timing. It moves flits as 128 bits; heads contain their source routes. Throws ModelError if a
// flit leaves through an output that is not on the flit's route. All references must outlive the router.
std::unique_ptr<fabric::RouterModule> make_rtl_router(const fabric::RouterSpec& spec,
                                                      fabric::FlitContext& flits, FlitContents& contents);

}  // namespace coppice::cosim
