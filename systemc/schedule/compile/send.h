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
  // The out-channel of `src` that leads to `dst`; -1 if `path` applies instead.
  topology::ChannelId channel = -1;
  // The index, in the builder's `paths`, of the channels from `src` to `dst`. Paths use virtual channels such
  // that they cannot deadlock with each other (schedule/compile/path_virtual_channels.h). If there is neither
  // a path (-1) nor a channel, the message follows CompileRequest::routing.
  std::int32_t path = -1;
};

}  // namespace coppice::schedule
