#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "schedule/compile/channel_paths.h"
#include "schedule/compile/compiler.h"
#include "schedule/compile/send.h"
#include "schedule/tables/schedule.h"

namespace coppice::schedule {

// How to fill the steps in which a port sends nothing although it has later entries.
enum class IdleSteps : std::uint8_t { kNops, kNothing };

// Builds the tables from the messages of a collective. Assigns NI ports (the number of the out-channel's
// port, or of the in-channel's port for ejection, modulo ni_ports), derives parents, children and
// dependencies (the arrivals of a flow at a node in earlier steps), sorts every port's entries by step, and
// fills idle steps before a port's last entry with nops. `chunks[flow]` is the data of a flow; a flow without
// bytes sends nothing. Entries of the same port and step keep the order of `sends`. Throws ModelError if a
// send does not fit the topology, and UnsupportedError if a send has to be routed but the request has no
// routing, or if the paths need more virtual channels than the routing has.
Schedule build_schedule(const topology::Topology& topology, const CompileRequest& request,
                        const std::string& algorithm, std::span<const Chunk> chunks,
                        std::span<const Send> sends, std::span<const ChannelPath> paths = {},
                        IdleSteps idle = IdleSteps::kNops);

// The route of a message over one channel, on all virtual channels of the request's routing.
topology::Route route_over(const topology::Topology& topology, const CompileRequest& request,
                           topology::ChannelId channel);

}  // namespace coppice::schedule
