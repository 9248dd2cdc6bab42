#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/bits.h"
#include "schedule/proof/data_groups.h"

namespace coppice::schedule {

// Tracks the values of a group's data at every accelerator. A value is represented by the set of accelerators
// whose contributions it contains. At the start of an all-gather, each value is complete, and only its owner
// has it.
class Contributions {
 public:
  // Raises `additions` [flow of the schedule] to the depth of the flow's reduction tree.
  Contributions(const Schedule& schedule, std::vector<int>& additions);

  // Follows the messages of a group, round by round. Throws ScheduleError if a contribution is added twice or
  // lost, or if a final value does not reach an accelerator to which it is owed.
  void prove(const MessageGroup& group, const GroupLayout& layout);

 private:
  // Intervals are independent of each other, so they are processed in batches that fit into a cache.
  void begin(IntervalRange batch);
  void exchange(std::size_t first, std::size_t end);
  IntervalRange in_batch(std::size_t message) const;
  void take_snapshot(const Message& message, IntervalRange intervals);
  void arrive(const Message& message, std::int32_t interval, std::size_t snapshot);
  void require_final() const;

  std::size_t index(std::size_t node, std::int32_t interval) const {
    return node * static_cast<std::size_t>(batch_.end - batch_.first) +
           static_cast<std::size_t>(interval - batch_.first);
  }
  Bits held(std::size_t node, std::int32_t interval) {
    return {&held_[index(node, interval) * words_], words_};
  }
  ConstBits held(std::size_t node, std::int32_t interval) const {
    return {&held_[index(node, interval) * words_], words_};
  }

  const Schedule& schedule_;
  std::vector<int>& additions_;
  std::size_t nodes_;         // number of accelerators and reducing switches
  std::size_t accelerators_;  // number of accelerators only
  std::size_t words_;
  BitSet everyone_;
  const MessageGroup* group_ = nullptr;
  const GroupLayout* layout_ = nullptr;
  IntervalRange batch_;
  std::vector<std::uint64_t> held_;  // [index() * words_]: the contributions in the value
  // The maximum number of additions so far, whatever the order of arrivals at an accelerator. In the worst
  // case the deepest value arrives first, and all other arrivals are added to it.
  struct Depth {
    std::int32_t deepest = 0;  // maximum depth of the values that arrived
    std::int32_t arrivals = 0;
    std::int32_t total() const { return deepest + arrivals; }
  };
  std::vector<Depth> depth_;  // [index()]: additions in the value
  std::vector<std::uint64_t> in_flight_;
  std::vector<std::int32_t> depth_in_flight_;
};

}  // namespace coppice::schedule
