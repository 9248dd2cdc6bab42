#pragma once

#include "base/units.h"
#include "schedule/compile/compiler.h"
#include "schedule/tables/schedule.h"
#include "topology/topology.h"

namespace coppice::schedule {

// When the last message of tables has arrived, by an execution of messages as wholes: ports issue in order
// and wait for arrivals, the lockstep's idle steps and the channels on the way, first come, first served.
// `request.timing` says what the machine adds. An estimate, without routers' buffers and virtual channels.
Femtoseconds expected_time(const topology::Topology& topology, const CompileRequest& request,
                           const Schedule& schedule);

}  // namespace coppice::schedule
