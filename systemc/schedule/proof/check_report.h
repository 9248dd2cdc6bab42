#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "topology/topology.h"

namespace coppice::schedule {

using topology::NodeId;

class SymmetricTables;

// Two or more messages that need the same channel, or the same port between a network interface and its
// router, at the same time.
struct SharedChannel {
  topology::ChannelId channel = -1;  // -1: the NI port below
  int step = 0;
  int messages = 0;
  NodeId node = topology::kNoNode;
  int ni_port = -1;
  bool ejection = false;  // the direction at an NI port: arriving messages, or leaving ones
  bool late = false;      // one of the messages belongs to an earlier step
};

// Describes a shared channel for reports, such as "channel 3->7 in step 5: 2 messages".
std::string to_string(const topology::Topology& topology, const SharedChannel& shared);

// The properties that the checker proved for a correct schedule.
struct CheckReport {
  // No message waits for a channel while the lockstep keeps its nominal times (schedule/proof/contention.h).
  bool contention_free = true;
  bool disjoint_steps = true;         // no two messages of one step need the same channel
  std::vector<SharedChannel> shared;  // empty if contention_free; the first 16 otherwise
  // For each flow, the maximum number of additions that any contribution undergoes, whatever the order of
  // arrivals: the depth of the flow's reduction tree. Bounds the rounding error of the sums.
  std::vector<int> additions;
  // The schedule's tables if they, and everything on their messages' paths, are known to look the same from
  // every accelerator; otherwise nullptr. Valid as long as the schedule.
  const SymmetricTables* symmetry = nullptr;
};

// An incorrect schedule: what() names the chunk (flow and address), the node and the step at fault.
class ScheduleError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace coppice::schedule
