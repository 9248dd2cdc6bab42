#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/bits.h"
#include "schedule/proof/data_groups.h"

namespace coppice::schedule {

// The values of a group's data at every accelerator, as the set of accelerators whose contributions they
// hold. In an all-gather a value is held whole by whoever contributes it, and by nobody else.
class Contributions {
 public:
  // `additions`: per flow of the schedule, raised to the depth of its reduction tree.
  Contributions(const Schedule& schedule, std::vector<int>& additions);

  // Follows the messages of a group, round by round. Throws ScheduleError for a contribution that is added
  // twice or lost, and for a final value that does not come to be where it is owed.
  void prove(const MessageGroup& group, const GroupLayout& layout);

 private:
  // Intervals go in batches that fit a cache: no interval concerns another.
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
  std::size_t nodes_;         // with adders
  std::size_t accelerators_;  // who contribute
  std::size_t words_;
  BitSet everyone_;
  const MessageGroup* group_ = nullptr;
  const GroupLayout* layout_ = nullptr;
  IntervalRange batch_;
  std::vector<std::uint64_t> held_;  // [(node * intervals of the batch + interval) * words]
  // Additions so far, however the arrivals at an accelerator came in turn: a contribution of the deepest of
  // them may be followed by all others.
  struct Depth {
    std::int32_t deepest = 0;  // of the values that arrived
    std::int32_t arrivals = 0;
    std::int32_t total() const { return deepest + arrivals; }
  };
  std::vector<Depth> depth_;  // [node * intervals of the batch + interval]
  std::vector<std::uint64_t> in_flight_;
  std::vector<std::int32_t> depth_in_flight_;
};

}  // namespace coppice::schedule
