#include "schedule/automatic/symmetric_time.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "schedule/packed_trees/message_timing.h"
#include "schedule/tables/translated_tables.h"

namespace coppice::schedule {
namespace {

using topology::ChannelId;
using topology::Topology;

// The pattern that all tables share; nullptr if there is none.
const TablePattern* pattern_of(const Schedule& schedule) {
  const TablePattern* pattern = nullptr;
  for (const NodeTables& node : schedule.nodes) {
    for (const Table& table : node.ports) {
      if (table.empty()) continue;
      if (table.pattern() == nullptr || (pattern != nullptr && table.pattern() != pattern)) return nullptr;
      pattern = table.pattern();
    }
  }
  return pattern;
}

// For each way, which is a route of the pattern, the channel on which it leaves the origin. The result is
// empty if a channel and its image at another accelerator differ in bandwidth or latency.
std::vector<ChannelId> channels_of_ways(const Topology& topology, const Schedule& schedule,
                                        const TablePattern& pattern) {
  const auto channel_at = [&](NodeId node, std::size_t way) {
    const auto route = static_cast<std::size_t>(pattern.route(node, static_cast<std::int32_t>(way)));
    return topology.out_channels(node)[schedule.routes[route].front().out_port];
  };
  std::vector<ChannelId> channels;
  for (std::size_t way = 0; way < pattern.ways(); ++way) {
    channels.push_back(channel_at(pattern.moves().origin(), way));
    const topology::Channel& first = topology.channel(channels.back());
    for (NodeId node = 0; node < static_cast<NodeId>(schedule.nodes.size()); ++node) {
      const topology::Channel& other = topology.channel(channel_at(node, way));
      if (other.bandwidth != first.bandwidth || other.latency != first.latency) return {};
    }
  }
  return channels;
}

class OriginExecution {
 public:
  OriginExecution(const Topology& topology, const CompileRequest& request, const TablePattern& pattern,
                  std::vector<ChannelId> channels)
      : timing_(topology, request),
        pattern_(pattern),
        channels_(std::move(channels)),
        arrived_(static_cast<std::size_t>(pattern.flows()), 0),
        slots_(pattern.slots()) {
    for (std::size_t slot = 0; slot < slots_.size(); ++slot) {
      for (const std::int32_t way : pattern.ways_of(slot)) {
        const ChannelId id = channels_[static_cast<std::size_t>(way)];
        ChannelId& slowest = slots_[slot].slowest;
        if (slowest < 0 || topology.channel(id).bandwidth < topology.channel(slowest).bandwidth) slowest = id;
      }
    }
  }

  Femtoseconds run() {
    for (std::size_t slot = 0; slot < slots_.size(); ++slot) issue(slot, 0);
    while (!events_.empty()) {
      const auto [now, number] = events_.top();
      events_.pop();
      if (number >= 0) {
        ++arrived_[static_cast<std::size_t>(number)];
        for (std::size_t slot = 0; slot < slots_.size(); ++slot) {
          if (slots_[slot].awaits == number) issue(slot, now);
        }
      } else {
        issue(static_cast<std::size_t>(-number - 1), now);
      }
    }
    return finish_;
  }

 private:
  struct Slot {
    std::size_t next = 0;
    Femtoseconds free_at = 0;
    std::int32_t awaits = -1;  // flow for whose arrival the next entry waits; -1: none
    ChannelId slowest = -1;
  };

  void issue(std::size_t index, Femtoseconds now) {
    Slot& slot = slots_[index];
    slot.awaits = -1;
    const auto entries = pattern_.entries(index);
    if (now < slot.free_at || slot.next == entries.size()) return;
    const TableEntry& entry = entries[slot.next];
    Femtoseconds length = 0;
    if (entry.op == Op::kNop) {
      if (slot.slowest >= 0) length = timing_.busy(slot.slowest, entry.bytes);
    } else {
      if (arrived_[static_cast<std::size_t>(entry.flow)] < entry.dependencies) {
        slot.awaits = entry.flow;
        return;
      }
      const ChannelId channel = channels_[static_cast<std::size_t>(entry.route)];
      length = timing_.busy(channel, entry.bytes);
      const Femtoseconds arrives = now + length + timing_.delay({&channel, 1}, entry.op);
      events_.emplace(arrives, pattern_.moved_back_flow(entry.flow, entry.destination()));
      finish_ = std::max(finish_, arrives);
    }
    ++slot.next;
    slot.free_at = now + length;
    events_.emplace(slot.free_at, -static_cast<std::int32_t>(index) - 1);
  }

  // A time and a number: the flow of a message that arrives at that time, or -1 - slot for a slot that
  // becomes free.
  using Event = std::pair<Femtoseconds, std::int32_t>;

  MessageTiming timing_;
  const TablePattern& pattern_;
  std::vector<ChannelId> channels_;    // [way]: the channel at the origin
  std::vector<std::int32_t> arrived_;  // [flow]: number of arrivals at the origin
  std::vector<Slot> slots_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  Femtoseconds finish_ = 0;
};

}  // namespace

std::optional<Femtoseconds> symmetric_time(const Topology& topology, const CompileRequest& request,
                                           const Schedule& schedule) {
  const TablePattern* const pattern = pattern_of(schedule);
  if (pattern == nullptr) return std::nullopt;
  std::vector<ChannelId> channels = channels_of_ways(topology, schedule, *pattern);
  if (channels.empty()) return std::nullopt;
  return OriginExecution(topology, request, *pattern, std::move(channels)).run();
}

}  // namespace coppice::schedule
