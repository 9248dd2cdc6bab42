#pragma once

#include <vector>

#include <nlohmann/json.hpp>

#include "ni/memory/message_record.h"

namespace coppice::system {

// The cycles of a network-interface port by activity. Every cycle of every port counts once.
struct PortTime {
  Cycles serialization = 0;  // sending the flits of its messages, at the rate of the slowest channel ahead
  Cycles latency = 0;        // memory, and data it depends on that is on its way
  Cycles dependencies = 0;   // data it depends on that has not left its sender
  Cycles lockstep = 0;       // the next timestep may not start
  Cycles contention = 0;     // flits of its messages held up, or data it depends on delayed, by other traffic
  Cycles credits = 0;        // the same for want of credits: up to what buffers that do not cover the credit
                             // loop can explain
  Cycles idle = 0;           // no tables ran that its next message is of
  Cycles finished = 0;       // its table is done, others go on

  Cycles total() const {
    return serialization + latency + dependencies + lockstep + contention + credits + idle + finished;
  }
};

// Adds up PortTime from the messages as they complete.
class TimeBreakdown {
 public:
  TimeBreakdown(int accelerators, int ni_ports);

  // A completed message, of tables that began in cycle `begun` at its source. Those of switches that add
  // do not count.
  void add(const ni::MessageRecord& message, Cycles begun = 0);

  // The mean over all ports, in cycles; the parts sum to `total`. `idle` is one of them if any port was.
  nlohmann::ordered_json to_json(Cycles total) const;

  const PortTime& port(topology::NodeId node, int port) const {
    return ports_[static_cast<std::size_t>(node * ni_ports_ + port)];
  }

 private:
  int ni_ports_;
  std::vector<PortTime> ports_;  // [accelerator][NI port]
};

// How one message divides the time of its port from the tail of the message before to its own tail.
// The tables it is of began in cycle `begun`.
PortTime divide(const ni::MessageRecord& message, Cycles begun = 0);

}  // namespace coppice::system
