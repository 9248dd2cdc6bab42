#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "base/random.h"
#include "schedule/schedule.h"

namespace coppice::schedule {

// Executes tables as network interfaces would, under timing drawn at random: any port whose next entry may
// issue does so at any time, and messages arrive in any order. Values are counted, element by element and
// contribution by contribution, so that nothing is shared with the checker's way of reasoning.
class RandomExecution {
 public:
  RandomExecution(const Schedule& schedule, std::uint64_t seed)
      : schedule_(schedule),
        random_(seed),
        elements_(static_cast<std::size_t>(schedule.size / schedule.element)) {
    const std::size_t n = schedule.nodes.size();
    const auto chunks = split_into_chunks(schedule.size, schedule.element, static_cast<int>(n));
    values_.assign(n, std::vector<Value>(elements_, Value(n, 0)));
    for (std::size_t node = 0; node < n; ++node) {
      next_.emplace_back(schedule.nodes[node].ports.size(), 0);
      if (schedule.collective != Collective::kAllGather) {
        for (Value& value : values_[node]) value[node] = 1;
      } else {
        for (Bytes e = 0; e < chunks[node].bytes / schedule.element; ++e) {
          values_[node][static_cast<std::size_t>(chunks[node].address / schedule.element + e)] = Value(n, 1);
        }
      }
    }
  }

  // Runs to the end; false if it gets stuck or an accelerator ends without a value it is owed.
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
  using Value = std::vector<int>;  // how often each accelerator's contribution is in it
  struct InFlight {
    const TableEntry* entry;
    std::vector<Value> data;
  };

  std::vector<std::pair<std::size_t, std::size_t>> ready_ports() {
    std::vector<std::pair<std::size_t, std::size_t>> ready;
    for (std::size_t node = 0; node < next_.size(); ++node) {
      for (std::size_t port = 0; port < next_[node].size(); ++port) {
        const auto& table = schedule_.nodes[node].ports[port];
        std::size_t& next = next_[node][port];
        while (next < table.size() && table[next].op == Op::kNop) ++next;
        if (next == table.size()) continue;
        if (arrived_[{static_cast<NodeId>(node), table[next].flow}] >= table[next].dependencies) {
          ready.emplace_back(node, port);
        }
      }
    }
    return ready;
  }

  void issue(std::size_t node, std::size_t port) {
    const TableEntry& entry = schedule_.nodes[node].ports[port][next_[node][port]++];
    const auto first = values_[node].begin() + entry.address / schedule_.element;
    in_flight_.push_back({&entry, {first, first + entry.bytes / schedule_.element}});
  }

  void deliver(std::size_t index) {
    const InFlight message = std::move(in_flight_[index]);
    in_flight_.erase(in_flight_.begin() + static_cast<std::ptrdiff_t>(index));
    const TableEntry& entry = *message.entry;
    auto& values = values_[static_cast<std::size_t>(entry.destination())];
    for (std::size_t i = 0; i < message.data.size(); ++i) {
      Value& here = values[static_cast<std::size_t>(entry.address / schedule_.element) + i];
      for (std::size_t a = 0; a < here.size(); ++a) {
        here[a] = message.data[i][a] + (entry.op == Op::kReduce ? here[a] : 0);
      }
    }
    ++arrived_[{entry.destination(), entry.flow}];
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
    const std::size_t n = values_.size();
    const Value final(n, 1);
    const auto chunks = split_into_chunks(schedule_.size, schedule_.element, static_cast<int>(n));
    for (std::size_t node = 0; node < n; ++node) {
      const bool own_only = schedule_.collective == Collective::kReduceScatter;
      const Bytes begin = own_only ? chunks[node].address : 0;
      const Bytes end = own_only ? begin + chunks[node].bytes : schedule_.size;
      for (Bytes at = begin; at < end; at += schedule_.element) {
        if (values_[node][static_cast<std::size_t>(at / schedule_.element)] != final) return false;
      }
    }
    return true;
  }

  const Schedule& schedule_;
  Random random_;
  std::size_t elements_;
  std::vector<std::vector<Value>> values_;      // [node][element]
  std::vector<std::vector<std::size_t>> next_;  // [node][port]
  std::vector<InFlight> in_flight_;
  std::map<std::pair<NodeId, std::int32_t>, int> arrived_;
};

}  // namespace coppice::schedule
