#pragma once

#include <vector>

#include <nlohmann/json.hpp>

#include "ni/memory/message_record.h"

namespace coppice::system {

// The cycles of a network-interface port by activity. Every cycle of a port is counted once.
struct PortTime {
  Cycles serialization = 0;  // sending flits of its messages, at the rate of the slowest channel on the path
  Cycles latency = 0;        // waiting for memory, or for data in flight that it depends on
  Cycles dependencies = 0;   // waiting for data that has not left its sender
  Cycles lockstep = 0;       // waiting for the lockstep to allow the next timestep
  Cycles contention = 0;     // delay of its flits, or of data that it depends on, by other traffic
  // Such delay by missing credits, as far as buffers shorter than the credit loop explain it.
  Cycles credits = 0;
  Cycles idle = 0;      // the tables of its next message had not been started
  Cycles finished = 0;  // its table has finished while other ports continue

  Cycles total() const {
    return serialization + latency + dependencies + lockstep + contention + credits + idle + finished;
  }
};

// Divides a port's time from the tail of the previous message to the tail of `message`, whose tables were
// started in cycle `begun`.
PortTime divide(const ni::MessageRecord& message, Cycles begun = 0);

// Accumulates the PortTime of every port from completed messages.
class TimeBreakdown {
 public:
  TimeBreakdown(int accelerators, int ni_ports);

  // Adds a completed message whose tables were started in cycle `begun` at its source. Messages of reducing
  // switches are ignored.
  void add(const ni::MessageRecord& message, Cycles begun = 0) {
    add(divide(message, begun), message.src, message.src_port);
  }
  void add(const PortTime& part, topology::NodeId src, int port);

  // The mean over all ports, in cycles; the parts sum to `total`. `idle` is present only if a port was idle.
  nlohmann::ordered_json to_json(Cycles total) const;

  const PortTime& port(topology::NodeId node, int port) const {
    return ports_[static_cast<std::size_t>(node * ni_ports_ + port)];
  }

 private:
  int ni_ports_;
  std::vector<PortTime> ports_;  // [accelerator][NI port]
};

}  // namespace coppice::system
