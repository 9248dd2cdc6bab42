#pragma once

#include <vector>

#include <nlohmann/json.hpp>

#include "ni/memory/message_record.h"

namespace coppice::system {

// The cycles of a network-interface port by activity. Every cycle of every port counts once.
struct PortTime {
  Cycles serialization = 0;  // sending the flits of its messages, at the rate of the slowest channel ahead
  Cycles latency = 0;        // waiting for memory, or for data in flight that it depends on
  Cycles dependencies = 0;   // waiting for data that has not left its sender
  Cycles lockstep = 0;       // waiting for the lockstep to allow the next timestep
  Cycles contention = 0;     // flits of its messages, or data that it depends on, delayed by other traffic
  // Likewise delayed by missing credits: as far as buffers shorter than the credit loop explain it.
  Cycles credits = 0;
  Cycles idle = 0;      // the tables of its next message were not running
  Cycles finished = 0;  // its table is done, others continue

  Cycles total() const {
    return serialization + latency + dependencies + lockstep + contention + credits + idle + finished;
  }
};

// Adds up PortTime from the messages as they complete.
class TimeBreakdown {
 public:
  TimeBreakdown(int accelerators, int ni_ports);

  // Adds a completed message of tables that began in cycle `begun` at its source. Messages of switches that
  // add do not count.
  void add(const ni::MessageRecord& message, Cycles begun = 0);

  // The mean over all ports, in cycles; the parts sum to `total`. They include `idle` if any port was idle.
  nlohmann::ordered_json to_json(Cycles total) const;

  const PortTime& port(topology::NodeId node, int port) const {
    return ports_[static_cast<std::size_t>(node * ni_ports_ + port)];
  }

 private:
  int ni_ports_;
  std::vector<PortTime> ports_;  // [accelerator][NI port]
};

// Divides the time of a message's port, from the tail of the previous message to its own tail. The message's
// tables began in cycle `begun`.
PortTime divide(const ni::MessageRecord& message, Cycles begun = 0);

}  // namespace coppice::system
