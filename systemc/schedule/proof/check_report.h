#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "topology/topology.h"

namespace coppice::schedule {

using topology::NodeId;

class SymmetricTables;

// Two or more messages that need one channel, or one port between a network interface and its router, at the
// same time.
struct SharedChannel {
  topology::ChannelId channel = -1;  // -1: the NI port below
  int step = 0;
  int messages = 0;
  NodeId node = topology::kNoNode;
  int ni_port = -1;
  bool ejection = false;  // the direction at an NI port: arriving messages, or leaving ones
  bool late = false;      // one of the messages belongs to an earlier step
};

// "channel 3->7 in step 5: 2 messages", for reports.
std::string to_string(const topology::Topology& topology, const SharedChannel& shared);

// The properties that the checker proved of a correct schedule.
struct CheckReport {
  // No message waits for a channel while the lockstep keeps its nominal times (schedule/proof/contention.h).
  bool contention_free = true;
  bool disjoint_steps = true;         // no two messages of one step need the same channel
  std::vector<SharedChannel> shared;  // empty if contention_free; the first 16 otherwise
  // Per flow, the most additions that a contribution passes through, in whatever order messages arrive: the
  // depth of its reduction tree, for the rounding bound of the sums.
  std::vector<int> additions;
  // The schedule's tables if they, and everything that their messages meet, are known to look the same from
  // every accelerator; valid as long as the schedule. nullptr: not known.
  const SymmetricTables* symmetry = nullptr;
};

// An incorrect schedule: what() names the chunk (flow and address), the node and the step at fault.
class ScheduleError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace coppice::schedule
