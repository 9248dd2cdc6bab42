#pragma once

#include <cstdint>

#include "schedule/tables/table.h"

namespace coppice::schedule {

// One message of a collective, before it becomes a table entry.
struct Send {
  Op op = Op::kReduce;
  std::int32_t flow = 0;
  NodeId src = 0;
  NodeId dst = 0;
  std::int32_t step = 1;
  // The out-channel of src that leads to dst; -1: see `path`.
  topology::ChannelId channel = -1;
  // Index into the builder's `paths`: the channels from src to dst, on virtual channels that keep all paths
  // together free of deadlock (schedule/compile/path_virtual_channels.h). If this is -1 and there is no
  // channel, the message follows CompileRequest::routing.
  std::int32_t path = -1;
};

}  // namespace coppice::schedule
