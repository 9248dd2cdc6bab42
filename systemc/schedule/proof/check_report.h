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
  topology::ChannelId channel = -1;  // -1: the messages share an NI port, given by `node` and `ni_port`
  int step = 0;
  int messages = 0;
  NodeId node = topology::kNoNode;
  int ni_port = -1;
  bool ejection = false;  // true: the shared NI port is an ejection port; false: an injection port
  bool late = false;      // whether one of the messages belongs to an earlier step
};

// Describes a shared channel for reports, such as "channel 3->7 (port 0) in step 5: 2 messages".
std::string to_string(const topology::Topology& topology, const SharedChannel& shared);

// The properties that the checker proved for a correct schedule.
struct CheckReport {
  // Whether no message ever waits for a channel if the lockstep keeps its nominal times
  // (schedule/proof/contention.h).
  bool contention_free = true;
  bool disjoint_steps = true;         // whether no two messages of one step need the same channel
  std::vector<SharedChannel> shared;  // the first 16 shared channels; empty if contention_free
  // [flow]: the maximum number of additions that any contribution undergoes, whatever the order of arrivals.
  // This is the depth of the flow's reduction tree; it bounds the rounding error of the sums.
  std::vector<int> additions;
  // The schedule's tables if the tables and the paths of their messages are known to look the same from every
  // accelerator; otherwise nullptr. The pointer is valid as long as the schedule exists.
  const SymmetricTables* symmetry = nullptr;
};

// Thrown if a schedule is incorrect. what() names the chunk (flow and address), the node and the step at
// fault.
class ScheduleError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace coppice::schedule
