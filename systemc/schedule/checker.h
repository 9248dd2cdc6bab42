#pragma once

#include <string>
#include <vector>

#include "schedule/schedule.h"

namespace coppice::schedule {

// Two messages of one step that want one channel.
struct SharedChannel {
  topology::ChannelId channel = -1;
  int step = 0;
  int messages = 0;
};

// What the checker proved of a schedule that is right.
struct CheckReport {
  bool contention_free = true;
  std::vector<SharedChannel> shared;  // empty if contention_free; the first 16 otherwise
  // Additions that the longest-travelled contribution of a flow passes through, per flow: the depth of its
  // reduction tree, for the rounding bound of the sums.
  std::vector<int> additions;
};

// A schedule that is wrong: what() names the chunk (flow and address), the node and the step at fault.
class ScheduleError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Proves, by symbolic replay of the tables in dependency order at the granularity of the address ranges they
// use: every contribution is added exactly once, every accelerator that the collective owes a final value has
// it, dependencies are acyclic and met by real arrivals, routes lead where the entries say, and addresses
// stay inside the buffer in whole elements. Throws ScheduleError otherwise.
CheckReport check_schedule(const topology::Topology& topology, const Schedule& schedule);

}  // namespace coppice::schedule
