#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "base/random.h"
#include "schedule/tables/schedule.h"

namespace coppice::schedule {

// Executes tables with random timing. A port may issue its next entry at any time once the entry is ready,
// and messages may arrive in any order. Counts the contributions to every element, independently of the
// checker.
class RandomExecution {
 public:
  RandomExecution(const Schedule& schedule, std::uint64_t seed)
      : schedule_(schedule),
        random_(seed),
        elements_(static_cast<std::size_t>(schedule.size / schedule.element)) {
    const auto n = static_cast<std::size_t>(schedule.accelerators());
    values_.assign(schedule.nodes.size(), std::vector<Value>(elements_, Value(n, 0)));
    for (std::size_t node = 0; node < schedule.nodes.size(); ++node) {
      next_.emplace_back(schedule.nodes[node].ports.size(), 0);
      if (node < n && schedule.collective != Collective::kAllGather) {
        for (Value& value : values_[node]) value[node] = 1;
      }
    }
    if (schedule.collective != Collective::kAllGather) return;
    for_each_owned([&](std::size_t owner, std::size_t element) { values_[owner][element] = Value(n, 1); });
  }

  // Executes all tables. Returns false if they deadlock or if an accelerator does not obtain a final value.
  bool succeeds() {
    while (true) {
      const auto ready = ready_ports();
      const std::size_t choices = ready.size() + in_flight_.size();
      if (choices == 0) break;
      const auto choice = static_cast<std::size_t>(random_.below(choices));
      if (choice < ready.size()) {
        issue(ready[choice].first, ready[choice].second);
      } else {
        deliver(choice - ready.size());
      }
    }
    return all_issued() && all_final();
  }

 private:
  using Value = std::vector<int>;  // the number of times that each accelerator's contribution is included
  struct InFlight {
    TableEntry entry;
    std::vector<Value> data;
  };
  struct Arrivals {
    std::int32_t in_order = 0;     // number of arrivals without a gap
    std::set<std::int32_t> early;  // numbers of arrivals after the first gap
  };

  template <typename Visit>
  void for_each_owned(Visit visit) const {
    for (const Share& share : share_out(schedule_)) {
      for (Bytes e = 0; e < share.data.bytes; e += schedule_.element) {
        visit(static_cast<std::size_t>(share.owner),
              static_cast<std::size_t>((share.data.address + e) / schedule_.element));
      }
    }
  }

  bool satisfied(NodeId node, const TableEntry& entry) {
    return arrived_[{node, entry.flow}].in_order >= entry.dependencies;
  }

  std::vector<std::pair<std::size_t, std::size_t>> ready_ports() {
    std::vector<std::pair<std::size_t, std::size_t>> ready;
    for (std::size_t node = 0; node < next_.size(); ++node) {
      for (std::size_t port = 0; port < next_[node].size(); ++port) {
        const auto& table = schedule_.nodes[node].ports[port];
        std::size_t& next = next_[node][port];
        while (next < table.size() && table[next].op == Op::kNop) ++next;
        if (next == table.size()) continue;
        if (satisfied(static_cast<NodeId>(node), table[next])) ready.emplace_back(node, port);
      }
    }
    return ready;
  }

  void issue(std::size_t node, std::size_t port) {
    const TableEntry entry = schedule_.nodes[node].ports[port][next_[node][port]++];
    const auto first = values_[node].begin() + entry.address / schedule_.element;
    in_flight_.push_back({entry, {first, first + entry.bytes / schedule_.element}});
  }

  void deliver(std::size_t index) {
    const InFlight message = std::move(in_flight_[index]);
    in_flight_.erase(in_flight_.begin() + static_cast<std::ptrdiff_t>(index));
    const TableEntry& entry = message.entry;
    auto& values = values_[static_cast<std::size_t>(entry.destination())];
    for (std::size_t i = 0; i < message.data.size(); ++i) {
      Value& here = values[static_cast<std::size_t>(entry.address / schedule_.element) + i];
      for (std::size_t a = 0; a < here.size(); ++a) {
        here[a] = message.data[i][a] + (entry.op == Op::kReduce ? here[a] : 0);
      }
    }
    Arrivals& arrived = arrived_[{entry.destination(), entry.flow}];
    arrived.early.insert(schedule_.numbered_arrivals ? entry.arrival : arrived.in_order);
    while (arrived.early.erase(arrived.in_order) > 0) ++arrived.in_order;
  }

  bool all_issued() const {
    for (std::size_t node = 0; node < next_.size(); ++node) {
      for (std::size_t port = 0; port < next_[node].size(); ++port) {
        if (next_[node][port] != schedule_.nodes[node].ports[port].size()) return false;
      }
    }
    return true;
  }

  bool all_final() const {
    const auto n = static_cast<std::size_t>(schedule_.accelerators());
    const Value final(n, 1);
    if (schedule_.collective != Collective::kReduceScatter) {
      return std::ranges::all_of(std::span(values_).first(n), [&](const auto& values) {
        return std::ranges::all_of(values, [&](const Value& value) { return value == final; });
      });
    }
    bool all = true;
    for_each_owned(
        [&](std::size_t owner, std::size_t element) { all = all && values_[owner][element] == final; });
    return all;
  }

  const Schedule& schedule_;
  Random random_;
  std::size_t elements_;
  std::vector<std::vector<Value>> values_;      // [node][element]
  std::vector<std::vector<std::size_t>> next_;  // [node][port]
  std::vector<InFlight> in_flight_;
  std::map<std::pair<NodeId, std::int32_t>, Arrivals> arrived_;  // keyed by (node, flow)
};

}  // namespace coppice::schedule
