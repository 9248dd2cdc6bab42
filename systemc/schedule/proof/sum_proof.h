#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/bits.h"
#include "schedule/proof/data_groups.h"

namespace coppice::schedule {

// The values of a group's data at every accelerator, as the set of accelerators whose contributions they
// contain. At the start of an all-gather, only the owner of a value has it, and the value is complete.
class Contributions {
 public:
  // `additions`: per flow of the schedule; raised to the depth of the flow's reduction tree.
  Contributions(const Schedule& schedule, std::vector<int>& additions);

  // Follows the messages of a group, round by round. Throws ScheduleError for a contribution that is added
  // twice or lost, and for a final value that does not reach an accelerator to which it is owed.
  void prove(const MessageGroup& group, const GroupLayout& layout);

 private:
  // Intervals are processed in batches that fit into a cache, since they are independent of each other.
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
  std::size_t nodes_;         // including reducing switches
  std::size_t accelerators_;  // without these switches
  std::size_t words_;
  BitSet everyone_;
  const MessageGroup* group_ = nullptr;
  const GroupLayout* layout_ = nullptr;
  IntervalRange batch_;
  std::vector<std::uint64_t> held_;  // [(node * intervals of the batch + interval) * words]
  // The additions so far, for any order of the arrivals at an accelerator: all other additions may follow
  // that of the deepest arrival.
  struct Depth {
    std::int32_t deepest = 0;  // of the arrived values
    std::int32_t arrivals = 0;
    std::int32_t total() const { return deepest + arrivals; }
  };
  std::vector<Depth> depth_;  // [node * intervals of the batch + interval]
  std::vector<std::uint64_t> in_flight_;
  std::vector<std::int32_t> depth_in_flight_;
};

}  // namespace coppice::schedule
