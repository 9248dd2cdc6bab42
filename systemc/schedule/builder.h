#pragma once

#include <vector>

#include "schedule/compiler.h"
#include "schedule/schedule.h"

namespace coppice::schedule {

// One message of a collective, before it becomes a table entry.
struct Send {
  Op op = Op::kReduce;
  std::int32_t flow = 0;
  NodeId src = 0;
  NodeId dst = 0;
  std::int32_t step = 1;
  // The out-channel of src on which it leaves, or -1 to follow CompileRequest::routing.
  topology::ChannelId channel = -1;
};

// Builds the tables from the messages of a collective: assigns NI ports (the out-channel's port modulo
// ni_ports; ejection likewise by the in-channel), derives parents, children and dependencies (the arrivals of
// a flow at a node in earlier steps), sorts every port's entries by step, and fills idle steps before a port's
// last entry with nops. `chunks[flow]` is the data of a flow. A flow of no bytes sends nothing.
Schedule build_schedule(const topology::Topology& topology, const CompileRequest& request,
                        const std::string& algorithm, const std::vector<Chunk>& chunks,
                        const std::vector<Send>& sends);

}  // namespace coppice::schedule
