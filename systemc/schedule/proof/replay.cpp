#include "schedule/proof/replay.h"

#include <fmt/format.h>

#include <algorithm>

#include "schedule/proof/check_report.h"

namespace coppice::schedule {
namespace {

using topology::Hop;
using topology::Route;
using topology::Topology;

[[noreturn]] void refuse(const Message& message, const std::string& what) {
  throw ScheduleError(place_of(message) + ": " + what);
}

// The messages of one port, in table order.
struct Port {
  std::size_t next = 0;  // index of the port's next message
  std::size_t end = 0;
};

class Replay {
 public:
  Replay(const Schedule& schedule, std::vector<Message>& messages, const SymmetricTables* pattern)
      : schedule_(schedule), messages_(messages), pattern_(pattern) {
    first_port_.push_back(0);
    std::size_t message = 0;
    for (std::size_t node = 0; node < schedule.nodes.size(); ++node) {
      for (std::size_t port = 0; port < schedule.nodes[node].ports.size(); ++port) {
        const std::size_t begin = message;
        while (message < messages.size() && messages[message].src == static_cast<NodeId>(node) &&
               messages[message].src_port == static_cast<std::int32_t>(port)) {
          ++message;
        }
        ports_.push_back({begin, message});
      }
      first_port_.push_back(ports_.size());
    }
    const std::size_t inboxes = pattern == nullptr ? schedule.nodes.size() : 1;
    arrived_.resize(inboxes * static_cast<std::size_t>(schedule.flows), 0);
    if (schedule.numbered_arrivals) number_arrivals();
    tried_in_.resize(schedule.nodes.size(), -1);
  }

  void run() {
    for (int step = 1; step <= schedule_.steps; ++step) {
      std::vector<std::size_t> issued;
      for (Port& port : ports_) issue_ready(port, step, issued);
      while (!issued.empty()) {
        deliver(issued);
        ++round_;
        std::vector<std::size_t> next;
        for (const std::size_t message : issued) {
          try_node(pattern_ == nullptr ? messages_[message].dst : pattern_->moves().origin(), step, next);
        }
        issued = std::move(next);
      }
    }
    refuse_stuck();
    if (schedule_.numbered_arrivals) {
      for (std::size_t i = 0; i < messages_.size(); ++i) messages_[i].round = chain_[i];
    }
  }

 private:
  // The inbox for the arrivals of one flow at one accelerator. With a pattern, only the origin has inboxes;
  // messages to other accelerators are mapped to messages to the origin.
  std::size_t inbox(NodeId node, std::int32_t flow) const {
    if (pattern_ != nullptr) return static_cast<std::size_t>(pattern_->moved_back_flow(flow, node));
    return static_cast<std::size_t>(node) * static_cast<std::size_t>(schedule_.flows) +
           static_cast<std::size_t>(flow);
  }
  std::int32_t& arrived(NodeId node, std::int32_t flow) { return arrived_[inbox(node, flow)]; }

  void number_arrivals() {
    first_place_.resize(arrived_.size() + 1, 0);
    for (const Message& message : messages_) ++first_place_[inbox(message.dst, message.entry->flow) + 1];
    for (std::size_t i = 1; i < first_place_.size(); ++i) first_place_[i] += first_place_[i - 1];
    std::vector<bool> taken(messages_.size(), false);
    for (Message& message : messages_) {
      const std::size_t box = inbox(message.dst, message.entry->flow);
      const std::size_t count = first_place_[box + 1] - first_place_[box];
      const std::int32_t number = message.entry->arrival;
      if (number < 0 || static_cast<std::size_t>(number) >= count) {
        refuse(
            message,
            fmt::format("its arrival number is {}, but only {} messages of its flow arrive at accelerator {}",
                        number, count, message.dst));
      }
      const std::size_t place = first_place_[box] + static_cast<std::size_t>(number);
      if (taken[place]) {
        refuse(message, fmt::format("shares arrival number {} at accelerator {} with another message", number,
                                    message.dst));
      }
      taken[place] = true;
      message.arrival = number;
    }
    chain_.resize(messages_.size(), 0);
    chain_to_.resize(messages_.size(), 0);
  }

  // An arrival counts only once all arrivals with lower numbers have arrived.
  void deliver_numbered(std::size_t index) {
    const Message& message = messages_[index];
    const std::size_t box = inbox(message.dst, message.entry->flow);
    chain_to_[first_place_[box] + static_cast<std::size_t>(message.arrival)] = chain_[index] + 1;
    std::int32_t longest = chain_before(box, arrived_[box]);
    for (std::size_t place = first_place_[box] + static_cast<std::size_t>(arrived_[box]);
         place < first_place_[box + 1] && chain_to_[place] > 0; ++place, ++arrived_[box]) {
      longest = std::max(longest, chain_to_[place]);
      chain_to_[place] = longest;
    }
  }
  // The length of the longest chain that ends with one of the first `count` arrivals.
  std::int32_t chain_before(std::size_t box, std::int32_t count) const {
    return count == 0 ? 0 : chain_to_[first_place_[box] + static_cast<std::size_t>(count) - 1];
  }

  void issue_ready(Port& port, int step, std::vector<std::size_t>& issued) {
    while (port.next < port.end) {
      Message& message = messages_[port.next];
      const TableEntry& entry = *message.entry;
      if (entry.step > step || arrived(message.src, entry.flow) < entry.dependencies) return;
      message.round = round_;
      if (schedule_.numbered_arrivals) {
        chain_[port.next] = chain_before(inbox(message.src, entry.flow), entry.dependencies);
      }
      issued.push_back(port.next++);
    }
  }

  void deliver(const std::vector<std::size_t>& issued) {
    for (const std::size_t index : issued) {
      if (schedule_.numbered_arrivals) {
        deliver_numbered(index);
        continue;
      }
      Message& message = messages_[index];
      message.arrival = arrived(message.dst, message.entry->flow)++;
    }
  }

  void try_node(NodeId node, int step, std::vector<std::size_t>& issued) {
    const auto index = static_cast<std::size_t>(node);
    if (tried_in_[index] == round_) return;
    tried_in_[index] = round_;
    for (std::size_t p = first_port_[index]; p < first_port_[index + 1]; ++p)
      issue_ready(ports_[p], step, issued);
  }

  void refuse_stuck() {
    const Message* stuck = nullptr;
    for (const Port& port : ports_) {
      if (port.next == port.end) continue;
      const Message& head = messages_[port.next];
      if (stuck == nullptr || head.entry->step < stuck->entry->step) stuck = &head;
    }
    if (stuck == nullptr) return;
    refuse(*stuck, fmt::format("waits for {} arrivals of its flow, but only {} are possible: the rest are "
                               "missing or wait for this entry",
                               stuck->entry->dependencies, arrived(stuck->src, stuck->entry->flow)));
  }

  const Schedule& schedule_;
  std::vector<Message>& messages_;
  const SymmetricTables* pattern_;
  std::vector<Port> ports_;
  std::vector<std::size_t> first_port_;  // [node]: index of its first port; also one past the last node
  std::vector<std::int32_t> arrived_;    // [inbox]: number of arrivals
  std::vector<std::int32_t> tried_in_;   // [node]: the last round in which its ports were tried
  // The following members are used only for numbered arrivals.
  std::vector<std::size_t> first_place_;  // [inbox]: place of its first arrival; also one past the last inbox
  std::vector<std::int32_t> chain_;       // [message]: length of the longest chain of its flow before it
  // [place]: length of the longest chain that ends with this arrival; 0 before it happens. Once the arrival
  // is counted, the maximum over it and all arrivals with lower numbers.
  std::vector<std::int32_t> chain_to_;
  std::int32_t round_ = 0;
};

}  // namespace

std::string place_of(const Message& message) {
  const TableEntry& entry = *message.entry;
  return fmt::format("flow {} at bytes {}..{}, accelerator {}, step {}: {}", entry.flow, entry.address,
                     entry.address + entry.bytes, message.src, entry.step, to_string(entry.op));
}

void EntryCheck::check(Message& message) const {
  check_fields(message);
  follow_route(message);
  const TableEntry& entry = *message.entry;
  if (entry.op == Op::kGather && entry.children.size() != 1) {
    refuse(message, fmt::format("a gather must have one child, not {}", entry.children.size()));
  }
  if (entry.destination() != message.dst) {
    refuse(message,
           fmt::format("its {} is accelerator {}, but its route leads to {}",
                       entry.op == Op::kReduce ? "parent" : "child", entry.destination(), message.dst));
  }
}

void EntryCheck::check_fields(const Message& message) const {
  const TableEntry& entry = *message.entry;
  if (entry.flow < 0 || entry.flow >= schedule_.flows) {
    refuse(message, fmt::format("its flow does not exist: the flows are 0 to {}", schedule_.flows - 1));
  }
  if (entry.step < 1 || entry.step > schedule_.steps) {
    refuse(message, fmt::format("its step does not exist: the steps are 1 to {}", schedule_.steps));
  }
  if (entry.dependencies < 0)
    refuse(message, fmt::format("depends on a negative number of arrivals, {}", entry.dependencies));
  if (entry.padding < 0)
    refuse(message, fmt::format("is padded by a negative number of bytes, {}", entry.padding));
  if (entry.bytes < 1 || entry.address < 0 || entry.address > schedule_.size - entry.bytes) {
    refuse(message, fmt::format("its data extends beyond the buffer of {} bytes", schedule_.size));
  }
  if (entry.bytes % schedule_.element != 0 || entry.address % schedule_.element != 0) {
    refuse(message,
           fmt::format("its data does not consist of whole elements of {} bytes", schedule_.element));
  }
  if (entry.route < 0 || entry.route >= static_cast<int>(schedule_.routes.size())) {
    refuse(message, fmt::format("route {} does not exist", entry.route));
  }
}

void EntryCheck::follow_route(Message& message) const {
  const Route& route = schedule_.routes[static_cast<std::size_t>(message.entry->route)];
  NodeId at = message.src;
  for (std::size_t i = 0; i < route.size(); ++i) {
    const Hop& hop = route[i];
    const auto out = topology_.out_channels(at);
    if (hop.vcs.begin >= hop.vcs.end) refuse(message, fmt::format("hop {} allows no virtual channel", i));
    if (hop.out_port < out.size()) {
      at = topology_.channel(out[hop.out_port]).dst;
      continue;
    }
    message.dst = at;
    message.ejection_port = hop.out_port - static_cast<int>(out.size());
    check_ejection(message, i + 1 == route.size());
    return;
  }
  refuse(message, fmt::format("its route ends at node {} without leaving the network", at));
}

void EntryCheck::check_ejection(const Message& message, bool last_hop) const {
  if (!last_hop) refuse(message, fmt::format("its route continues after ejection at node {}", message.dst));
  if (message.dst >= static_cast<NodeId>(schedule_.nodes.size())) {
    refuse(message, fmt::format("its route ends at node {}, which is not an accelerator", message.dst));
  }
  if (message.dst == message.src) refuse(message, "its route leads back to its source");
  const auto ports = schedule_.nodes[static_cast<std::size_t>(message.dst)].ports.size();
  if (message.ejection_port >= static_cast<int>(ports)) {
    refuse(message, fmt::format("its route ejects at NI port {} of accelerator {}, which has {} ports",
                                message.ejection_port, message.dst, ports));
  }
}

void require_tables_of(const Topology& topology, const Schedule& schedule) {
  if (schedule.accelerators() != topology.num_accelerators()) {
    throw ScheduleError(fmt::format("the schedule has tables for {} accelerators, but {} has {}",
                                    schedule.accelerators(), topology.name(), topology.num_accelerators()));
  }
  if (static_cast<int>(schedule.nodes.size()) > topology.num_interfaces()) {
    throw ScheduleError(fmt::format("the schedule has tables for {} reducing switches, but {} has {}",
                                    schedule.adders, topology.name(),
                                    topology.num_interfaces() - topology.num_accelerators()));
  }
}

std::vector<Message> collect_messages(const Topology& topology, const Schedule& schedule) {
  require_tables_of(topology, schedule);
  const EntryCheck check(topology, schedule);
  std::vector<Message> messages;
  std::size_t count = 0;
  for (const NodeTables& node : schedule.nodes) {
    for (const Table& table : node.ports) count += static_cast<std::size_t>(table.messages());
  }
  messages.reserve(count);
  for (std::size_t node = 0; node < schedule.nodes.size(); ++node) {
    const auto& ports = schedule.nodes[node].ports;
    for (std::size_t port = 0; port < ports.size(); ++port) {
      std::int32_t step = 0;
      for (const TableEntry& entry : ports[port]) {
        Message message{
            .entry = &entry, .src = static_cast<NodeId>(node), .src_port = static_cast<std::int32_t>(port)};
        if (entry.step < step)
          refuse(message, fmt::format("follows an entry of the later step {} on its port", step));
        step = entry.step;
        if (entry.op == Op::kNop) continue;
        check.check(message);
        messages.push_back(message);
      }
    }
  }
  return messages;
}

void replay(const Schedule& schedule, std::vector<Message>& messages, const SymmetricTables* pattern) {
  Replay(schedule, messages, pattern).run();
}

}  // namespace coppice::schedule
