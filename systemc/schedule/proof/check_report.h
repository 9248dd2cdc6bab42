#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "topology/topology.h"

namespace coppice::schedule {

using topology::NodeId;

class SymmetricTables;

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
  // The tables of all accelerators, where they and all that their messages meet look the same from each: the
  // schedule's, as long as that. nullptr: not known to.
  const SymmetricTables* symmetry = nullptr;
};

// A schedule that is wrong: what() names the chunk (flow and address), the node and the step at fault.
class ScheduleError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace coppice::schedule
