#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "schedule/tables/schedule.h"

namespace coppice::schedule {

// Explores every execution of small tables. A port may issue its next entry at any time once the entry is
// ready, and messages may arrive in any order. In lockstep, a timestep begins when all messages of earlier
// timesteps have arrived, and every entry that waits only for the timestep issues before any message of the
// timestep arrives.
class AllExecutions {
 public:
  // The buffers of all accelerators. For every element, they count how often each accelerator's value is
  // included.
  using Values = std::vector<std::int8_t>;

  AllExecutions(const Schedule& schedule, bool lockstep) : schedule_(schedule), lockstep_(lockstep) {
    nodes_ = schedule.nodes.size();
    elements_ = static_cast<std::size_t>(schedule.size / schedule.element);
    State start;
    start.values.assign(nodes_ * elements_ * nodes_, 0);
    for (std::size_t node = 0; node < nodes_; ++node) {
      for (std::size_t e = 0; e < elements_; ++e) start.values[place(node, e) + node] = 1;
      start.next.insert(start.next.end(), schedule.nodes[node].ports.size(), 0);
    }
    explore(start);
  }

  // The distinct final buffers over all executions.
  const std::set<Values>& ends() const { return ends_; }
  // Whether some execution ends although an entry has never issued.
  bool gets_stuck() const { return stuck_; }

 private:
  struct InFlight {
    std::size_t node = 0;  // the accelerator in whose table the entry is stored
    std::size_t port = 0;
    std::size_t index = 0;
    Values data;
    auto operator<=>(const InFlight&) const = default;
  };
  struct State {
    std::vector<std::size_t> next;  // index of each port's next entry, with ports numbered over all nodes
    std::vector<InFlight> in_flight;
    std::map<std::pair<std::size_t, std::int32_t>, std::set<std::int32_t>> arrived;
    Values values;
    auto operator<=>(const State&) const = default;
  };

  std::size_t place(std::size_t node, std::size_t element) const {
    return (node * elements_ + element) * nodes_;
  }
  const TableEntry& entry(const InFlight& message) const {
    return schedule_.nodes[message.node].ports[message.port].stored()[message.index];
  }

  void explore(const State& state) {
    if (!seen_.insert(state).second) return;
    std::vector<State> after;
    std::size_t all_ports = 0;
    bool left = false;
    int open = open_step(state);
    for (std::size_t node = 0; node < nodes_; ++node) {
      for (std::size_t port = 0; port < schedule_.nodes[node].ports.size(); ++port, ++all_ports) {
        const auto entries = schedule_.nodes[node].ports[port].stored();
        std::size_t index = state.next[all_ports];
        while (index < entries.size() && entries[index].op == Op::kNop) ++index;
        if (index == entries.size()) continue;
        left = true;
        if (lockstep_ && entries[index].step > open) continue;
        if (!satisfied(state, node, entries[index])) continue;
        after.push_back(issued(state, {.node = node, .port = port, .index = index, .data = {}}, all_ports));
      }
    }
    const bool step_begins = lockstep_ && !after.empty() && !any_arrived_of(state, open);
    for (std::size_t m = 0; m < state.in_flight.size() && !step_begins; ++m) {
      after.push_back(delivered(state, m));
    }
    for (const State& next : after) explore(next);
    if (!after.empty()) return;
    ends_.insert(state.values);
    stuck_ = stuck_ || left;
  }

  // The earliest timestep with a message that has not arrived yet.
  int open_step(const State& state) const {
    int open = schedule_.steps + 1;
    for (const InFlight& message : state.in_flight) open = std::min(open, entry(message).step);
    std::size_t all_ports = 0;
    for (const NodeTables& node : schedule_.nodes) {
      for (const Table& table : node.ports) {
        for (std::size_t i = state.next[all_ports]; i < table.size(); ++i) {
          if (table.stored()[i].op != Op::kNop) open = std::min(open, table.stored()[i].step);
        }
        ++all_ports;
      }
    }
    return open;
  }

  bool any_arrived_of(const State& state, int step) const {
    std::size_t all_ports = 0;
    std::size_t issued = 0;
    std::size_t under_way = 0;
    for (const NodeTables& node : schedule_.nodes) {
      for (const Table& table : node.ports) {
        for (std::size_t i = 0; i < state.next[all_ports]; ++i) {
          if (table.stored()[i].op != Op::kNop && table.stored()[i].step == step) ++issued;
        }
        ++all_ports;
      }
    }
    for (const InFlight& message : state.in_flight) under_way += entry(message).step == step ? 1U : 0U;
    return issued > under_way;
  }

  bool satisfied(const State& state, std::size_t node, const TableEntry& entry) const {
    const auto found = state.arrived.find({node, entry.flow});
    const auto count = found == state.arrived.end() ? 0 : static_cast<std::int32_t>(found->second.size());
    if (!schedule_.numbered_arrivals) return count >= entry.dependencies;
    for (std::int32_t number = 0; number < entry.dependencies; ++number) {
      if (count == 0 || !found->second.contains(number)) return false;
    }
    return true;
  }

  State issued(State state, InFlight message, std::size_t port_of_all) const {
    const TableEntry& sent = entry(message);
    state.next[port_of_all] = message.index + 1;
    const auto first =
        state.values.begin() + static_cast<std::ptrdiff_t>(place(message.node, first_of(sent)));
    message.data.assign(first, first + static_cast<std::ptrdiff_t>(count_of(sent) * nodes_));
    state.in_flight.push_back(std::move(message));
    std::ranges::sort(state.in_flight);
    return state;
  }

  State delivered(State state, std::size_t m) const {
    const InFlight message = state.in_flight[m];
    state.in_flight.erase(state.in_flight.begin() + static_cast<std::ptrdiff_t>(m));
    const TableEntry& sent = entry(message);
    const auto to = static_cast<std::size_t>(sent.destination());
    for (std::size_t i = 0; i < message.data.size(); ++i) {
      std::int8_t& here = state.values[place(to, first_of(sent)) + i];
      here = static_cast<std::int8_t>(message.data[i] + (sent.op == Op::kReduce ? here : 0));
    }
    auto& arrived = state.arrived[{to, sent.flow}];
    arrived.insert(schedule_.numbered_arrivals ? sent.arrival : static_cast<std::int32_t>(arrived.size()));
    return state;
  }

  std::size_t first_of(const TableEntry& entry) const {
    return static_cast<std::size_t>(entry.address / schedule_.element);
  }
  std::size_t count_of(const TableEntry& entry) const {
    return static_cast<std::size_t>(entry.bytes / schedule_.element);
  }

  const Schedule& schedule_;
  bool lockstep_;
  std::size_t nodes_ = 0;
  std::size_t elements_ = 0;
  std::set<State> seen_;
  std::set<Values> ends_;
  bool stuck_ = false;
};

}  // namespace coppice::schedule
