#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "schedule/tables/schedule.h"

namespace coppice::schedule {

// Two or more messages that want one channel, or one port between a network interface and its router, at a
// time.
struct SharedChannel {
  topology::ChannelId channel = -1;  // -1: the NI port below
  int step = 0;
  int messages = 0;
  NodeId node = topology::kNoNode;
  int ni_port = -1;
  bool ejection = false;  // the NI port's side: messages that arrive, or that leave
  bool late = false;      // one is of an earlier step
};

// "channel 3->7 in step 5: 2 messages", for reports.
std::string to_string(const topology::Topology& topology, const SharedChannel& shared);

// The facts that the checker proved of a schedule that is right.
struct CheckReport {
  // Nothing waits for a channel while the lockstep keeps its nominal times (schedule/proof/contention.h).
  bool contention_free = true;
  bool disjoint_steps = true;         // no two messages of one step want one channel
  std::vector<SharedChannel> shared;  // empty if contention_free; the first 16 otherwise
  // Additions that a contribution of a flow passes through at most, in whatever order messages arrive, per
  // flow: the depth of its reduction tree, for the rounding bound of the sums.
  std::vector<int> additions;
};

// A schedule that is wrong: what() names the chunk (flow and address), the node and the step at fault.
class ScheduleError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A proof without time: besides the order of a port's entries, only messages order anything (Lamport 1978).
// An entry waits for a number of arrivals of its flow, so every arrival it does not count on must come from a
// message that was sent because of the entry; data that two accesses touch must be ordered likewise. If
// Schedule::ordered_by_lockstep, later timesteps count as later too.
//
// Proves, by symbolic replay of the tables in dependency order at the granularity of the address ranges they
// use: every contribution is added exactly once, every accelerator that the collective owes a final value has
// it, dependencies are acyclic and met by real arrivals, routes lead where the entries say, and addresses
// stay inside the buffer in whole elements. Throws ScheduleError otherwise.
CheckReport check_schedule(const topology::Topology& topology, const Schedule& schedule);

}  // namespace coppice::schedule
