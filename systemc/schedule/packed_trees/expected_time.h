#pragma once

#include <limits>

#include "base/units.h"
#include "schedule/compile/compiler.h"
#include "schedule/tables/schedule.h"
#include "topology/topology.h"

namespace coppice::schedule {

// Whether messages wait for busy channels at their ports or in routers.
enum class Waiting { kAtPorts, kInRouters };

// The time at which the last message of the tables has arrived, found by executing whole messages: ports
// issue in order and wait for arrivals, the lockstep's idle steps and the channels on the path, first come,
// first served. `request.timing` gives the machine's additional times. This is an estimate: it has no virtual
// channels, and routers' buffers only with Waiting::kInRouters, where a message occupies each channel for
// that channel's own pace. If the tables take longer than `limit`, it stops as soon as that is known and
// returns a lower bound beyond `limit`.
Femtoseconds expected_time(const topology::Topology& topology, const CompileRequest& request,
                           const Schedule& schedule,
                           Femtoseconds limit = std::numeric_limits<Femtoseconds>::max(),
                           Waiting waiting = Waiting::kAtPorts);

}  // namespace coppice::schedule
