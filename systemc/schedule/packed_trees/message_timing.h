#pragma once

#include <span>

#include "base/units.h"
#include "schedule/compile/compiler.h"
#include "schedule/tables/table.h"
#include "topology/topology.h"

namespace coppice::schedule {

// The timing of messages on the request's machine.
class MessageTiming {
 public:
  MessageTiming(const topology::Topology& topology, const CompileRequest& request)
      : topology_(topology), timing_(request.timing) {}

  // The time for which a message keeps its port busy. The pace is set by the slowest channel on the path or,
  // if the destination is a switch whose adder is slower, by that adder. Messages sent by switches have no
  // setup time.
  Femtoseconds busy(std::span<const topology::ChannelId> path, Bytes bytes,
                    NodeId destination = topology::kNoNode) const;
  // The time from the release of the port until dependent messages may be sent.
  Femtoseconds delay(std::span<const topology::ChannelId> path, Op op) const;
  // Like busy() above, for a path of one channel.
  Femtoseconds busy(topology::ChannelId channel, Bytes bytes) const { return busy({&channel, 1}, bytes); }

 private:
  const topology::Topology& topology_;
  StepTiming timing_;
};

}  // namespace coppice::schedule
