#pragma once

#include <limits>

#include "base/units.h"
#include "schedule/compile/compiler.h"
#include "schedule/tables/schedule.h"
#include "topology/topology.h"

namespace coppice::schedule {

// The place in which messages wait for busy channels.
enum class Waiting { kAtPorts, kInRouters };

// When the last message of tables has arrived, by an execution of messages as wholes: ports issue in order
// and wait for arrivals, the lockstep's idle steps and the channels on the way, first come, first served.
// `request.timing` says what the machine adds. An estimate, without virtual channels, and without routers'
// buffers unless messages wait there: then they keep each channel for its own pace alone.
// Tables that take longer than `limit` are given up as soon as that shows: some time beyond it that they take
// at least.
Femtoseconds expected_time(const topology::Topology& topology, const CompileRequest& request,
                           const Schedule& schedule,
                           Femtoseconds limit = std::numeric_limits<Femtoseconds>::max(),
                           Waiting waiting = Waiting::kAtPorts);

}  // namespace coppice::schedule
