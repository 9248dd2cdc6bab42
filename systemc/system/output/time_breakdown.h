#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <nlohmann/json.hpp>

#include "ni/memory/message_record.h"

namespace coppice::system {

// How a network-interface port spends its time, in cycles. Every cycle is counted once.
struct PortTime {
  // Sending flits of its messages, at the rate of the slowest channel on their path.
  Cycles serialization = 0;
  Cycles latency = 0;       // waiting for memory, or for required data that is in flight
  Cycles dependencies = 0;  // waiting for required data that has not left its sender
  Cycles lockstep = 0;      // waiting for the lockstep to allow the next timestep
  Cycles contention = 0;    // delay of its flits, or of required data, by other traffic
  // Delay by missing credits, to the extent that buffers shorter than the credit loop explain it.
  Cycles credits = 0;
  Cycles idle = 0;      // waiting while the tables of its next message have not been started
  Cycles finished = 0;  // waiting for other ports after its own table has ended

  PortTime& operator+=(const PortTime& other);
  Cycles total() const {
    return serialization + latency + dependencies + lockstep + contention + credits + idle + finished;
  }
};

// Divides the time of a port, from the tail of its previous message to the tail of `message`, among
// activities. `begun` is the cycle in which the message's tables were started.
PortTime divide(const ni::MessageRecord& message, Cycles begun = 0);

// Accumulates the PortTime of every port, message by message.
class TimeBreakdown {
 public:
  TimeBreakdown(int accelerators, int ni_ports);

  // Adds a completed message. `begun` is the cycle in which its tables were started at its source. Messages
  // of reducing switches are ignored.
  void add(const ni::MessageRecord& message, Cycles begun = 0) {
    const auto index = static_cast<std::size_t>(message.src * ni_ports_ + message.src_port);
    if (index < ports_.size()) ports_[index] += divide(message, begun);
  }
  // Adds the time of a message and its images, which left the ports of a slot. `ports` [accelerator] is the
  // same for all messages of the slot.
  void add(const PortTime& part, std::size_t slot, std::span<const int> ports);

  // The mean over all ports, in cycles; the items sum to `total`. `idle` is included only if a port was idle.
  nlohmann::ordered_json to_json(Cycles total) const;

  PortTime port(topology::NodeId node, int port) const;

 private:
  struct Slot {
    PortTime time;
    std::vector<int> ports;  // [accelerator]; empty if the slot has no messages
  };

  int ni_ports_;
  std::vector<PortTime> ports_;  // [accelerator][NI port]: how it spent its time, without that of slots
  std::vector<Slot> slots_;
};

}  // namespace coppice::system
