#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace coppice::ni {

// Counts, for each flow, the messages that have been reduced or stored at this accelerator. An entry may
// issue once the count of its flow has reached the entry's number of dependencies. If arrivals are numbered
// (Schedule::numbered_arrivals), an arrival counts only after all arrivals with lower numbers.
class DependencyTracker {
 public:
  explicit DependencyTracker(int flows) : flows_(static_cast<std::size_t>(flows)) {}

  // Forgets all arrivals, and counts the arrivals of `flows` flows from now on.
  void reset(int flows) {
    flows_ = static_cast<std::size_t>(flows);
    counts_.clear();
    early_.clear();
  }

  // Passed instead of a number if an arrival is not numbered; it then counts as the next one in order.
  static constexpr std::int32_t kNext = -1;
  void arrived(std::int32_t flow, std::int32_t number = kNext) {
    if (counts_.empty()) counts_.resize(flows_, 0);
    std::int32_t& count = counts_[static_cast<std::size_t>(flow)];
    if (number != kNext && number != count) {
      early_.emplace_back(flow, number);
      return;
    }
    ++count;
    while (!early_.empty() && std::erase(early_, std::pair{flow, count}) > 0) ++count;
  }
  bool satisfied(std::int32_t flow, std::int32_t dependencies) const { return count(flow) >= dependencies; }
  std::int32_t count(std::int32_t flow) const {
    return counts_.empty() ? 0 : counts_[static_cast<std::size_t>(flow)];
  }

 private:
  std::size_t flows_;
  std::vector<std::int32_t> counts_;  // [flow]; empty before the first arrival
  // (flow, number) of arrivals that have overtaken arrivals with lower numbers. The list is always short.
  std::vector<std::pair<std::int32_t, std::int32_t>> early_;
};

}  // namespace coppice::ni
