#pragma once

#include <limits>

#include "base/units.h"
#include "schedule/compile/compiler.h"
#include "schedule/tables/schedule.h"
#include "topology/topology.h"

namespace coppice::schedule {

// Whether messages wait for busy channels at their ports, in routers with unlimited buffers, or in the
// buffers of routers' virtual channels.
enum class Waiting { kAtPorts, kInRouters, kInVirtualChannels };

// The arrival time of the tables' last message, found by simulating messages instead of flits. Ports issue
// their entries in order. A message waits for the arrivals on which it depends, for the lockstep's idle
// steps, and for the channels on its path, which are used first come, first served. `request.timing` contains
// the machine's delays. Router buffers are not modelled with Waiting::kAtPorts. Otherwise, a message occupies
// each channel only for as long as that channel needs; with Waiting::kInVirtualChannels, it also waits for
// the messages before it in its virtual channel, and for room in a virtual channel of its next channel. The
// result is an estimate because a message that does not fit into a buffer does not occupy the channel before
// it for longer. If the tables take longer than `limit`, stops early and returns a lower bound that exceeds
// `limit`.
Femtoseconds expected_time(const topology::Topology& topology, const CompileRequest& request,
                           const Schedule& schedule,
                           Femtoseconds limit = std::numeric_limits<Femtoseconds>::max(),
                           Waiting waiting = Waiting::kAtPorts);

}  // namespace coppice::schedule
