#pragma once

#include <string>
#include <vector>

#include "schedule/compile/compiler.h"
#include "schedule/files/block_execution.h"
#include "schedule/files/msccl_buffers.h"

namespace coppice::schedule {

// The tables of messages that a file's symbolic execution has found. Channels of a connection spread over the
// parallel links between its ends; connections without a link follow the routing.
Schedule schedule_of_messages(const topology::Topology& topology, const CompileRequest& request,
                              const std::string& name, const MscclBuffers& buffers,
                              std::vector<BlockMessage> messages);

// A GPU has separate buffers, and arriving data waits until a thread block receives it. An accelerator has
// one buffer, to which data is added on arrival; the proof of the tables shows whether this changes the
// result. Returns "", or the reason why the algorithm cannot run; `scratch`: whether the algorithm uses
// scratch buffers.
std::string one_buffer_fault(const topology::Topology& topology, const Schedule& schedule, bool scratch);

}  // namespace coppice::schedule
