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

// Whether accelerators can run an algorithm for GPUs: returns "", or the reason why they cannot. On a GPU,
// arriving data waits until a thread block receives it; an accelerator has one buffer and adds data to it on
// arrival, so the tables' proof may fail. `scratch`: whether the algorithm uses scratch buffers.
std::string one_buffer_fault(const topology::Topology& topology, const Schedule& schedule, bool scratch);

}  // namespace coppice::schedule
