#pragma once

#include <string>
#include <vector>

#include "schedule/compile/compiler.h"
#include "schedule/files/block_execution.h"
#include "schedule/files/msccl_buffers.h"

namespace coppice::schedule {

// Builds the tables for the messages that the symbolic execution of a file has found. The channels of a
// connection are spread over the parallel links between its two GPUs. Without a link, messages are routed.
Schedule schedule_of_messages(const topology::Topology& topology, const CompileRequest& request,
                              const std::string& name, const MscclBuffers& buffers,
                              std::vector<BlockMessage> messages);

// Checks whether accelerators can run an algorithm that was written for GPUs. Returns "" or the reason why
// they cannot. On a GPU, arriving data waits until a thread block receives it. An accelerator has a single
// buffer and adds data to it on arrival, so the proof of the tables may fail. `scratch` states whether the
// algorithm uses scratch buffers.
std::string one_buffer_fault(const topology::Topology& topology, const Schedule& schedule, bool scratch);

}  // namespace coppice::schedule
