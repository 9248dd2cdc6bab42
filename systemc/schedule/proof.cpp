#include "schedule/proof.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "schedule/bits.h"
#include "schedule/causality.h"
#include "schedule/checker.h"

namespace coppice::schedule {
namespace {

[[noreturn]] void refuse(const Message& message, const std::string& what) {
  throw ScheduleError(place_of(message) + ": " + what);
}

// Flows whose address ranges overlap, directly or through others: data of different groups never meets.
struct Group {
  Bytes begin = 0;
  Bytes end = 0;
  std::vector<std::int32_t> flows;
};

std::vector<Group> group_flows(const Schedule& schedule, std::span<const Message> messages) {
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
  std::vector<Group> groups;
  for (const std::int32_t flow : order) {
    const Bytes from = begin[static_cast<std::size_t>(flow)];
    const Bytes to = end[static_cast<std::size_t>(flow)];
    if (groups.empty() || groups.back().end <= from) groups.push_back({from, to, {}});
    groups.back().end = std::max(groups.back().end, to);
    groups.back().flows.push_back(flow);
  }
  return groups;
}

// The values of a group's addresses at every accelerator, as the set of accelerators whose contributions
// they hold. In an all-gather a value is held whole by whoever contributes it, and by nobody else.
class Values {
 public:
  Values(const Schedule& schedule, const std::vector<Chunk>& chunks, std::vector<int>& additions)
      : schedule_(schedule),
        chunks_(chunks),
        additions_(additions),
        accelerators_(schedule.nodes.size()),
        words_(words_of(accelerators_)),
        everyone_(words_) {
    for (std::size_t i = 0; i < accelerators_; ++i) everyone_.insert(i);
  }

  // Begins a group: cuts its addresses wherever a message or a chunk begins or ends.
  void begin(const Group& group, std::span<const Message* const> messages) {
    cuts_ = {group.begin, group.end};
    for (const Message* message : messages) {
      cuts_.push_back(message->entry->address);
      cuts_.push_back(message->entry->address + message->entry->bytes);
      if (cuts_.size() > 4096) tidy_cuts();
    }
    for (const Chunk& chunk : chunks_) {
      if (chunk.address > group.begin && chunk.address < group.end) cuts_.push_back(chunk.address);
    }
    tidy_cuts();
    held_.assign(accelerators_ * intervals() * words_, 0);
    depth_.assign(accelerators_ * intervals(), 0);
    for (std::size_t node = 0; node < accelerators_; ++node) {
      for (std::size_t i = 0; i < intervals(); ++i) {
        if (schedule_.collective != Collective::kAllGather) {
          held(node, i).insert(node);
        } else if (owner_of(i) == node) {
          held(node, i).assign(everyone_.view());
        }
      }
    }
  }

  // The messages of one round: all leave before any arrives.
  void exchange(std::span<const Message* const> round) {
    in_flight_.clear();
    depth_in_flight_.clear();
    for (const Message* message : round) take_snapshot(*message);
    std::size_t snapshot = 0;
    for (const Message* message : round) {
      for (std::size_t i = first_interval(*message); i < end_interval(*message); ++i)
        arrive(*message, i, snapshot++);
    }
  }

  void require_final() const {
    for (std::size_t i = 0; i < intervals(); ++i) {
      for (std::size_t node = 0; node < accelerators_; ++node) {
        if (schedule_.collective == Collective::kReduceScatter && owner_of(i) != node) continue;
        const ConstBits value = held(node, i);
        if (value == everyone_.view()) continue;
        std::size_t missing = 0;
        while (value.contains(missing)) ++missing;
        throw ScheduleError(
            fmt::format("bytes {}..{}, accelerator {}, after step {}: the {} value lacks the "
                        "contribution of accelerator {}",
                        cuts_[i], cuts_[i + 1], node, schedule_.steps, "final", missing));
      }
    }
  }

 private:
  void tidy_cuts() {
    std::ranges::sort(cuts_);
    const auto repeated = std::ranges::unique(cuts_);
    cuts_.erase(repeated.begin(), repeated.end());
  }

  std::size_t intervals() const { return cuts_.size() - 1; }
  std::size_t interval_at(Bytes address) const {
    return static_cast<std::size_t>(std::ranges::lower_bound(cuts_, address) - cuts_.begin());
  }
  std::size_t first_interval(const Message& message) const { return interval_at(message.entry->address); }
  std::size_t end_interval(const Message& message) const {
    return interval_at(message.entry->address + message.entry->bytes);
  }
  // The accelerator whose chunk an interval belongs to.
  std::size_t owner_of(std::size_t interval) const {
    const auto after = std::ranges::upper_bound(chunks_, cuts_[interval], {}, &Chunk::address);
    std::size_t owner = static_cast<std::size_t>(after - chunks_.begin()) - 1;
    while (chunks_[owner].bytes == 0) --owner;  // empty chunks stand behind the last element
    return owner;
  }

  Bits held(std::size_t node, std::size_t interval) {
    return {&held_[(node * intervals() + interval) * words_], words_};
  }
  ConstBits held(std::size_t node, std::size_t interval) const {
    return {&held_[(node * intervals() + interval) * words_], words_};
  }
  int& depth(NodeId node, std::size_t interval) {
    return depth_[static_cast<std::size_t>(node) * intervals() + interval];
  }

  void take_snapshot(const Message& message) {
    for (std::size_t i = first_interval(message); i < end_interval(message); ++i) {
      const ConstBits value = held(static_cast<std::size_t>(message.src), i);
      if (value.empty()) refuse(message, "sends a value that the accelerator does not have yet");
      in_flight_.insert(in_flight_.end(), value.words().begin(), value.words().end());
      depth_in_flight_.push_back(depth(message.src, i));
    }
  }

  void arrive(const Message& message, std::size_t interval, std::size_t snapshot) {
    const ConstBits value(&in_flight_[snapshot * words_], words_);
    Bits here = held(static_cast<std::size_t>(message.dst), interval);
    const TableEntry& entry = *message.entry;
    const int from_depth = depth_in_flight_[snapshot];
    int& here_depth = depth(message.dst, interval);
    if (entry.op == Op::kReduce) {
      if (schedule_.collective == Collective::kAllGather) refuse(message, "an all-gather adds nothing");
      if (const auto twice = here.first_common(value); twice >= 0) {
        refuse(message, fmt::format("adds the contribution of accelerator {} a second time at accelerator {}",
                                    twice, message.dst));
      }
      here.insert_all(value);
      here_depth = std::max(here_depth, from_depth) + 1;
      int& additions = additions_[static_cast<std::size_t>(entry.flow)];
      additions = std::max(additions, here_depth);
      return;
    }
    if (const auto lost = value.first_missing_of(here); lost >= 0) {
      refuse(message,
             fmt::format("overwrites a value at accelerator {} that has the contribution of accelerator {} "
                         "with one that lacks it",
                         message.dst, lost));
    }
    if (value == here) refuse(message, fmt::format("accelerator {} has this value already", message.dst));
    here.assign(value);
    here_depth = from_depth;
  }

  const Schedule& schedule_;
  const std::vector<Chunk>& chunks_;
  std::vector<int>& additions_;
  std::size_t accelerators_;
  std::size_t words_;
  BitSet everyone_;
  std::vector<Bytes> cuts_;          // interval i is cuts_[i] .. cuts_[i + 1]
  std::vector<std::uint64_t> held_;  // [(node * intervals + interval) * words]
  std::vector<int> depth_;           // [node * intervals + interval]: additions so far
  std::vector<std::uint64_t> in_flight_;
  std::vector<int> depth_in_flight_;
};

// Messages by group, each group in the order of the replay.
class Grouped {
 public:
  Grouped(const Schedule& schedule, std::span<const Message> messages, const std::vector<Group>& groups)
      : starts_(groups.size() + 1, 0), messages_(messages.size()) {
    std::vector<std::size_t> group_of(static_cast<std::size_t>(schedule.flows), 0);
    for (std::size_t g = 0; g < groups.size(); ++g) {
      for (const std::int32_t flow : groups[g].flows) group_of[static_cast<std::size_t>(flow)] = g;
    }
    const auto group = [&](const Message& message) {
      return group_of[static_cast<std::size_t>(message.entry->flow)];
    };
    for (const Message& message : messages) ++starts_[group(message) + 1];
    for (std::size_t g = 1; g < starts_.size(); ++g) starts_[g] += starts_[g - 1];
    std::vector<std::size_t> next(starts_.begin(), starts_.end() - 1);
    for (const Message& message : messages) messages_[next[group(message)]++] = &message;
  }

  std::span<const Message* const> operator[](std::size_t group) const {
    return std::span(messages_).subspan(starts_[group], starts_[group + 1] - starts_[group]);
  }

 private:
  std::vector<std::size_t> starts_;
  std::vector<const Message*> messages_;
};

void require_no_gaps(const Schedule& schedule, const std::vector<Group>& groups) {
  if (schedule.nodes.size() < 2) return;
  Bytes covered = 0;
  const auto require = [&](Bytes address) {
    if (address == covered) return;
    throw ScheduleError(
        fmt::format("bytes {}..{}, every accelerator, all steps: no message carries them", covered, address));
  };
  for (const Group& group : groups) {
    require(group.begin);
    covered = group.end;
  }
  require(schedule.size);
}

}  // namespace

std::vector<int> prove_data(const Schedule& schedule, std::span<const Message> messages) {
  const std::vector<Group> groups = group_flows(schedule, messages);
  require_no_gaps(schedule, groups);
  const Grouped grouped(schedule, messages, groups);
  std::vector<Chunk> chunks;
  if (schedule.collective != Collective::kAllReduce) {
    chunks = split_into_chunks(schedule.size, schedule.element, static_cast<int>(schedule.nodes.size()));
  }
  std::vector<int> additions(static_cast<std::size_t>(schedule.flows), 0);
  Values values(schedule, chunks, additions);
  Causality causality(schedule);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const auto group = grouped[g];
    causality.prove(groups[g].flows, group);
    values.begin(groups[g], group);
    for (std::size_t begin = 0; begin < group.size();) {
      std::size_t end = begin;
      while (end < group.size() && group[end]->round == group[begin]->round) ++end;
      values.exchange(group.subspan(begin, end - begin));
      begin = end;
    }
    values.require_final();
  }
  return additions;
}

}  // namespace coppice::schedule
