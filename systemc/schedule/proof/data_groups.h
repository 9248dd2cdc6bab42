#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "schedule/proof/replay.h"

namespace coppice::schedule {

// The messages of flows whose address ranges overlap, directly or through further flows of the group. They
// keep the order of the replay. Different groups have no data in common.
struct MessageGroup {
  Bytes begin = 0;
  Bytes end = 0;
  std::vector<std::int32_t> flows;
  std::span<const Message* const> messages;
};

// Intervals [first, end) of a group's data.
struct IntervalRange {
  std::int32_t first = 0;
  std::int32_t end = 0;
};

// A group's data, split at every address where a message or a share begins or ends: interval i is
// [cuts[i], cuts[i + 1]).
struct GroupLayout {
  std::vector<Bytes> cuts;
  std::vector<IntervalRange> covered;  // [message of the group]: the intervals that it carries
  // [interval]: the owner of the interval's data. Empty for an all-reduce, where every accelerator is owed
  // all data.
  std::vector<NodeId> owners;

  std::size_t intervals() const { return cuts.size() - 1; }
};

// Splits a group's data. `shares` are the schedule's shares, sorted by address; empty for an all-reduce.
GroupLayout lay_out(const MessageGroup& group, std::span<const Share> shares);

// Divides the messages of a schedule into groups. Within a group, messages are sorted by round; messages of
// the same round keep the given order.
class MessageGroups {
 public:
  MessageGroups(const Schedule& schedule, std::span<const Message> messages);

  std::span<const MessageGroup> groups() const { return groups_; }

 private:
  void find_groups(const Schedule& schedule, std::span<const Message> messages);
  void sort_messages(const Schedule& schedule, std::span<const Message> messages);

  std::vector<MessageGroup> groups_;
  std::vector<const Message*> messages_;
};

}  // namespace coppice::schedule
