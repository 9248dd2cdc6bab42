#include "system/output/time_breakdown.h"

#include <algorithm>

namespace coppice::system {

PortTime divide(const ni::MessageRecord& message, Cycles begun) {
  PortTime time;
  const Cycles free = std::max(message.port_free_since, begun);
  time.idle = free - message.port_free_since;
  const Cycles issued = std::max(message.issued, free);
  // Before a port issues a message, it waits first for the message's data, then for the lockstep.
  const Cycles data_here = std::clamp(message.dependencies_met, free, issued);
  const Cycles left_sender = std::clamp(message.enabler_tail_injected + 1, free, data_here);
  const Cycles in_flight = data_here - left_sender;
  time.dependencies = left_sender - free;
  const Cycles delayed = std::clamp<Cycles>(message.enabler_delay, 0, in_flight);
  time.credits = std::clamp<Cycles>(message.enabler_credit_delay, 0, delayed);
  time.contention = delayed - time.credits;
  time.latency = in_flight - delayed;
  time.lockstep = issued - data_here;
  // From issue to head, the port waits for memory. From head to tail, it sends flits or is delayed.
  time.latency += message.head_injected - issued;
  const Cycles sending = message.tail_injected + 1 - message.head_injected;
  time.serialization = std::min(sending, message.serialization);
  const Cycles held_up = sending - time.serialization;
  const Cycles by_credits = std::min(held_up, message.credit_stall);
  time.credits += by_credits;
  time.contention += held_up - by_credits;
  return time;
}

PortTime& PortTime::operator+=(const PortTime& other) {
  serialization += other.serialization;
  latency += other.latency;
  dependencies += other.dependencies;
  lockstep += other.lockstep;
  contention += other.contention;
  credits += other.credits;
  idle += other.idle;
  finished += other.finished;
  return *this;
}

TimeBreakdown::TimeBreakdown(int accelerators, int ni_ports)
    : ni_ports_(ni_ports),
      ports_(static_cast<std::size_t>(accelerators) * static_cast<std::size_t>(ni_ports)) {}

void TimeBreakdown::add(const PortTime& part, std::size_t slot, std::span<const int> ports) {
  if (slots_.size() <= slot) slots_.resize(slot + 1);
  if (slots_[slot].ports.empty()) slots_[slot].ports.assign(ports.begin(), ports.end());
  slots_[slot].time += part;
}

PortTime TimeBreakdown::port(topology::NodeId node, int port) const {
  PortTime time = ports_[static_cast<std::size_t>(node * ni_ports_ + port)];
  for (const Slot& slot : slots_) {
    if (!slot.ports.empty() && slot.ports[static_cast<std::size_t>(node)] == port) time += slot.time;
  }
  return time;
}

nlohmann::ordered_json TimeBreakdown::to_json(Cycles total) const {
  PortTime sum;
  for (std::size_t i = 0; i < ports_.size(); ++i) {
    const int at = static_cast<int>(i);
    PortTime time = port(at / ni_ports_, at % ni_ports_);
    time.finished = total - time.total();
    sum += time;
  }
  const auto mean = [this](Cycles cycles) {
    return ports_.empty() ? 0.0 : static_cast<double>(cycles) / static_cast<double>(ports_.size());
  };
  nlohmann::ordered_json json{{"serialization", mean(sum.serialization)}, {"latency", mean(sum.latency)},
                              {"dependencies", mean(sum.dependencies)},   {"lockstep", mean(sum.lockstep)},
                              {"contention", mean(sum.contention)},       {"credits", mean(sum.credits)}};
  if (sum.idle > 0) json["idle"] = mean(sum.idle);
  json["finished"] = mean(sum.finished);
  return json;
}

}  // namespace coppice::system
