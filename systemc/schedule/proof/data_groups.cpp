#include "schedule/proof/data_groups.h"

#include <algorithm>
#include <numeric>

namespace coppice::schedule {
namespace {

void tidy(std::vector<Bytes>& cuts) {
  std::ranges::sort(cuts);
  const auto first_repeated = std::unique(cuts.begin(), cuts.end());
  cuts.erase(first_repeated, cuts.end());
}

}  // namespace

GroupLayout lay_out(const MessageGroup& group, std::span<const Share> shares) {
  GroupLayout layout;
  std::vector<Bytes>& cuts = layout.cuts;
  cuts = {group.begin, group.end};
  std::size_t untidy = 8192;  // removes duplicates once there are more cuts than this
  for (const Message* message : group.messages) {
    cuts.push_back(message->entry->address);
    cuts.push_back(message->entry->address + message->entry->bytes);
    if (cuts.size() <= untidy) continue;
    tidy(cuts);
    untidy = std::max(untidy, 2 * cuts.size());
  }
  const auto first_share = std::ranges::lower_bound(shares, group.begin, {},
                                                    [](const Share& share) { return share.data.address; });
  for (auto share = first_share; share != shares.end() && share->data.address < group.end; ++share) {
    cuts.push_back(share->data.address);
  }
  tidy(cuts);
  const auto interval_at = [&](Bytes address) {
    return static_cast<std::int32_t>(std::ranges::lower_bound(cuts, address) - cuts.begin());
  };
  layout.covered.reserve(group.messages.size());
  for (const Message* message : group.messages) {
    const TableEntry& entry = *message->entry;
    layout.covered.push_back({interval_at(entry.address), interval_at(entry.address + entry.bytes)});
  }
  if (shares.empty()) return layout;
  for (std::size_t i = 0; i < layout.intervals(); ++i) {
    const auto after =
        std::ranges::upper_bound(shares, cuts[i], {}, [](const Share& share) { return share.data.address; });
    layout.owners.push_back((after - 1)->owner);
  }
  return layout;
}

MessageGroups::MessageGroups(const Schedule& schedule, std::span<const Message> messages) {
  find_groups(schedule, messages);
  sort_messages(schedule, messages);
}

void MessageGroups::find_groups(const Schedule& schedule, std::span<const Message> messages) {
  const auto flows = static_cast<std::size_t>(schedule.flows);
  std::vector<Bytes> begin(flows, schedule.size);
  std::vector<Bytes> end(flows, 0);
  for (const Message& message : messages) {
    const auto flow = static_cast<std::size_t>(message.entry->flow);
    begin[flow] = std::min(begin[flow], message.entry->address);
    end[flow] = std::max(end[flow], message.entry->address + message.entry->bytes);
  }
  std::vector<std::int32_t> order(flows);
  std::iota(order.begin(), order.end(), 0);
  std::erase_if(order, [&](std::int32_t flow) { return end[static_cast<std::size_t>(flow)] == 0; });
  std::ranges::stable_sort(order, {},
                           [&](std::int32_t flow) { return begin[static_cast<std::size_t>(flow)]; });
  for (const std::int32_t flow : order) {
    const Bytes from = begin[static_cast<std::size_t>(flow)];
    const Bytes to = end[static_cast<std::size_t>(flow)];
    if (groups_.empty() || groups_.back().end <= from) {
      groups_.push_back({.begin = from, .end = to, .flows = {}, .messages = {}});
    }
    groups_.back().end = std::max(groups_.back().end, to);
    groups_.back().flows.push_back(flow);
  }
}

// Counting sort in two stable passes, first by round, then by group.
void MessageGroups::sort_messages(const Schedule& schedule, std::span<const Message> messages) {
  std::int32_t last_round = -1;
  for (const Message& message : messages) last_round = std::max(last_round, message.round);
  std::vector<std::size_t> next(static_cast<std::size_t>(last_round) + 2, 0);
  for (const Message& message : messages) ++next[static_cast<std::size_t>(message.round) + 1];
  for (std::size_t i = 1; i < next.size(); ++i) next[i] += next[i - 1];
  std::vector<const Message*> by_round(messages.size());
  for (const Message& message : messages)
    by_round[next[static_cast<std::size_t>(message.round)]++] = &message;

  std::vector<std::size_t> group_of(static_cast<std::size_t>(schedule.flows), 0);
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    for (const std::int32_t flow : groups_[g].flows) group_of[static_cast<std::size_t>(flow)] = g;
  }
  const auto group = [&](const Message& message) {
    return group_of[static_cast<std::size_t>(message.entry->flow)];
  };
  std::vector<std::size_t> starts(groups_.size() + 1, 0);
  for (const Message& message : messages) ++starts[group(message) + 1];
  for (std::size_t g = 1; g < starts.size(); ++g) starts[g] += starts[g - 1];
  next.assign(starts.begin(), starts.end());
  messages_.resize(messages.size());
  for (const Message* message : by_round) messages_[next[group(*message)]++] = message;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    groups_[g].messages = std::span(messages_).subspan(starts[g], starts[g + 1] - starts[g]);
  }
}

}  // namespace coppice::schedule
