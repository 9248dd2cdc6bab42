#include "schedule/packed_trees/piece_schedule.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include "base/index.h"
#include "schedule/packed_trees/busy_times.h"
#include "schedule/packed_trees/event_lanes.h"

namespace coppice::schedule {
namespace {

// The number of waiting messages among which a port looks for one whose channels are free.
constexpr std::size_t kLooksAt = 16;
// The largest delay that routers may add to a message (schedule/proof/contention.h).
constexpr Femtoseconds kRouterGuard = 20 * kFemtosecondsPerNanosecond;
// Head flits may take up to 1 / kHeadShare of a timestep.
constexpr Femtoseconds kHeadShare = 8;

using topology::ChannelId;
using topology::NodeId;

// The data in the longest message that always fits into a virtual channel's buffer together with its head
// flits, rounded down to a power of two flits.
Bytes buffered_data(const StepTiming& timing) {
  const Bytes of_packet = timing.payload > 0 ? (timing.payload + timing.flit - 1) / timing.flit : 0;
  const Bytes flits = of_packet > 0 ? timing.buffer / (of_packet + 1) * of_packet : timing.buffer - 1;
  return flits > 0 ? static_cast<Bytes>(std::bit_floor(static_cast<std::uint64_t>(flits))) * timing.flit : 0;
}

}  // namespace

PieceScheduler::PieceScheduler(const topology::Topology& topology, const CompileRequest& request,
                               std::span<const PackedTree> trees)
    : topology_(topology),
      timing_(topology, request),
      cycle_(std::max<Femtoseconds>(request.timing.cycle, 1)),
      longest_buffered_(request.timing.flit > 0 ? buffered_data(request.timing) : 0),
      trees_(static_cast<std::int32_t>(trees.size())) {
  servers_ = topology.num_accelerators() * request.ni_ports;
  for (std::size_t t = 0; t < trees.size(); ++t) {
    for (std::size_t h = 0; h < trees[t].hops.size(); ++h) {
      const TreeHop& hop = trees[t].hops[h];
      const int port = topology.channel(hop.path.front()).src_port % request.ni_ports;
      hops_.push_back({.tree = static_cast<std::int32_t>(t),
                       .hop = static_cast<std::int32_t>(h),
                       .server = hop.src * request.ni_ports + port,
                       .pace = pace_of(hop.path),
                       .first_offset = static_cast<std::int32_t>(offsets_.size()),
                       .delay = timing_.delay(hop.path, hop.op),
                       .path = hop.path});
      Femtoseconds offset = 0;
      for (const ChannelId id : hop.path) {
        offsets_.push_back(offset);
        offset += topology.channel(id).latency + request.timing.router;
      }
    }
  }
  std::vector<std::int32_t> sender(topology.channels().size(), -1);  // [channel]: first port that uses it
  for (const Hop& hop : hops_) {
    for (const ChannelId id : hop.path) {
      if (sender[index(id)] < 0) sender[index(id)] = hop.server;
      shares_channels_ = shares_channels_ || sender[index(id)] != hop.server;
    }
  }
  for (std::size_t id = 0; id < sender.size(); ++id) {
    const auto channel = static_cast<ChannelId>(id);
    channel_paces_.push_back(sender[id] < 0 ? -1 : pace_of({&channel, 1}));
  }
  connect(trees);
}

std::int32_t PieceScheduler::pace_of(std::span<const ChannelId> path) {
  const auto rate = [&](ChannelId id) { return topology_.channel(id).bandwidth.bytes_per_second; };
  const ChannelId slowest = *std::ranges::min_element(path, {}, rate);
  const auto known = std::ranges::find(paces_, rate(slowest), rate);
  if (known != paces_.end()) return static_cast<std::int32_t>(known - paces_.begin());
  paces_.push_back(slowest);
  return static_cast<std::int32_t>(paces_.size()) - 1;
}

// Connects each hop to the hops that wait for it: a partial sum waits for the sums from all children, a value
// waits for the value from the parent, and the root's values wait for all sums that arrive at the root.
void PieceScheduler::connect(std::span<const PackedTree> trees) {
  std::int32_t base = 0;
  for (const PackedTree& tree : trees) {
    std::map<NodeId, std::vector<std::int32_t>> ups;
    std::map<NodeId, std::vector<std::int32_t>> downs;
    for (std::size_t h = 0; h < tree.hops.size(); ++h) {
      const TreeHop& hop = tree.hops[h];
      (hop.op == Op::kReduce ? ups : downs)[hop.src].push_back(base + static_cast<std::int32_t>(h));
    }
    for (std::size_t h = 0; h < tree.hops.size(); ++h) {
      const TreeHop& hop = tree.hops[h];
      Hop& from = hops_[index(base) + h];
      from.first_next = static_cast<std::int32_t>(next_.size());
      const bool sums_go_on = hop.op == Op::kReduce && hop.dst != tree.root;
      for (const std::int32_t id : (sums_go_on ? ups : downs)[hop.dst]) {
        next_.push_back(id);
        ++hops_[index(id)].awaits;
      }
      from.end_next = static_cast<std::int32_t>(next_.size());
    }
    base += static_cast<std::int32_t>(tree.hops.size());
  }
}

// [hop]: the time from when a message has left its port until its piece is complete, if all pieces are as
// long as the first.
std::vector<Femtoseconds> PieceScheduler::remaining(std::span<const Bytes> bytes) const {
  std::vector<Femtoseconds> left(hops_.size(), 0);
  BusyTimes busy(timing_, paces_);
  for (std::size_t h = hops_.size(); h-- > 0;) {
    const Hop& hop = hops_[h];
    for (std::int32_t n = hop.first_next; n < hop.end_next; ++n) {
      const std::int32_t next = next_[index(n)];
      const Hop& after = hops_[index(next)];
      left[h] = std::max(left[h], left[index(next)] + busy(after.pace, bytes[index(after.tree)]));
    }
    left[h] += hop.delay;
  }
  return left;
}

Femtoseconds PieceScheduler::period(Bytes bytes) const {
  std::vector<Femtoseconds> ports(index(servers_), 0);
  std::vector<Femtoseconds> channels(topology_.channels().size(), 0);
  std::vector<std::int64_t> uses(topology_.channels().size(), 0);
  BusyTimes busy(timing_, paces_);
  for (const Hop& hop : hops_) {
    ports[index(hop.server)] += busy(hop.pace, bytes);
    for (const ChannelId id : hop.path) ++uses[index(id)];
  }
  for (std::size_t id = 0; id < uses.size(); ++id) {
    if (uses[id] > 0) channels[id] = uses[id] * timing_.busy(static_cast<ChannelId>(id), bytes);
  }
  Femtoseconds longest = 0;
  for (const auto& all : {ports, channels}) {
    for (const Femtoseconds each : all) longest = std::max(longest, each);
  }
  return longest;
}

Femtoseconds PieceScheduler::latency(Bytes bytes) const {
  const std::vector<Bytes> all(index(trees_), bytes);
  const std::vector<Femtoseconds> left = remaining(all);
  Femtoseconds longest = 0;
  BusyTimes busy(timing_, paces_);
  for (std::size_t h = 0; h < hops_.size(); ++h) {
    longest = std::max(longest, left[h] + busy(hops_[h].pace, bytes));
  }
  return longest;
}

template <typename Visit>
Femtoseconds PieceScheduler::run(std::span<const Bytes> bytes, const PieceOrder& order, Visit visit) const {
  struct Waiting {
    Femtoseconds key;
    std::int32_t message;
    bool operator>(const Waiting& other) const {
      return std::tie(key, message) > std::tie(other.key, other.message);
    }
  };
  const auto hops = static_cast<std::int32_t>(hops_.size());
  const std::vector<Femtoseconds> left = remaining(bytes);
  const Femtoseconds period = this->period(bytes.empty() ? 0 : bytes.front());
  std::vector<Femtoseconds> base(hops_.size());
  for (std::size_t h = 0; h < base.size(); ++h) {
    base[h] = -static_cast<Femtoseconds>(order.urgency * static_cast<double>(left[h]));
  }
  std::vector<std::int16_t> missing(hops_.size() * index(order.pieces));
  std::vector<std::vector<Waiting>> waiting(index(servers_));
  std::vector<std::uint8_t> busy(index(servers_), 0);
  // An event's number identifies an arrival (the message's index), the release of a port (-1 - server), or
  // another search for a message at a port (-1 - servers_ - server).
  EventLanes events;
  BusyTimes busy_times(timing_, paces_);
  std::vector<std::int32_t> touched;
  const auto bytes_of = [&](std::int32_t message) {
    return bytes[index(message / hops) * index(trees_) + index(hops_[index(message % hops)].tree)];
  };
  const auto make_ready = [&](std::int32_t message) {
    const Hop& hop = hops_[index(message % hops)];
    auto& heap = waiting[index(hop.server)];
    heap.push_back({base[index(message % hops)] + message / hops * period, message});
    std::ranges::push_heap(heap, std::greater{});
    touched.push_back(hop.server);
  };
  Femtoseconds finish = 0;
  // [server]: time at which a port that could not start any message searches again.
  std::vector<Femtoseconds> looks_at(index(servers_), 0);
  std::vector<Femtoseconds> free_at(shares_channels_ ? topology_.channels().size() : 0, 0);
  const bool buffered = this->buffered(bytes.empty() ? 0 : bytes.front());
  // The time for which a message may wait in front of a channel. Buffered messages may wait until the
  // previous message has left, because the buffer holds one message.
  const auto queued = [&](ChannelId id) {
    return buffered ? busy_times(channel_paces_[index(id)], bytes.front()) : 0;
  };
  // Sends a message over its path: the message enters each channel once the channel is free and occupies the
  // channel for as long as that channel needs. Returns the message's arrival time minus the path's latency.
  const auto pass_buffers = [&](const Hop& hop, Femtoseconds now, Bytes size) {
    Femtoseconds begin = now;
    Femtoseconds end = now + busy_times(hop.pace, size);
    for (std::size_t i = 1; i < hop.path.size(); ++i) {
      const Femtoseconds way = offset(hop, i) - offset(hop, i - 1);
      const Femtoseconds own = busy_times(channel_paces_[index(hop.path[i])], size);
      Femtoseconds& free = free_at[index(hop.path[i])];
      begin = std::max(begin + way, free);
      free = begin + own;
      end = std::max(end + way, begin + own);
    }
    return end - offset(hop, hop.path.size() - 1);
  };
  // The earliest start of a message that finds all channels after its first channel free.
  const auto possible_at = [&](const Hop& hop) {
    Femtoseconds at = 0;
    for (std::size_t i = 1; i < hop.path.size() && shares_channels_; ++i) {
      at = std::max(at, free_at[index(hop.path[i])] - queued(hop.path[i]) - offset(hop, i));
    }
    return at;
  };
  // Removes and returns the most urgent message that may start; returns -1 if no message can start now.
  const auto take_one = [&](std::int32_t server, Femtoseconds now) {
    auto& heap = waiting[index(server)];
    std::array<Waiting, kLooksAt> blocked{};
    std::size_t count = 0;
    std::int32_t taken = -1;
    Femtoseconds next = std::numeric_limits<Femtoseconds>::max();
    while (taken < 0 && !heap.empty() && count < kLooksAt) {
      std::ranges::pop_heap(heap, std::greater{});
      const Waiting first = heap.back();
      heap.pop_back();
      const Femtoseconds at = possible_at(hops_[index(first.message % hops)]);
      if (at <= now) {
        taken = first.message;
      } else {
        next = std::min(next, at);
        blocked[count++] = first;
      }
    }
    for (std::size_t i = 0; i < count; ++i) {
      heap.push_back(blocked[i]);
      std::ranges::push_heap(heap, std::greater{});
    }
    // One pending search per port is enough.
    Femtoseconds& look = looks_at[index(server)];
    if (taken < 0 && (look <= now || next < look)) {
      look = next;
      events.push_at(next, -1 - servers_ - server);
    }
    return taken;
  };
  const auto start_one = [&](std::int32_t server, Femtoseconds now) {
    if (busy[index(server)] != 0 || waiting[index(server)].empty()) return;
    const std::int32_t message = take_one(server, now);
    if (message < 0) return;
    const Hop& hop = hops_[index(message % hops)];
    const Bytes size = bytes_of(message);
    const Femtoseconds length = busy_times(hop.pace, size);
    // The message has been received completely hop.delay after `end`.
    const Femtoseconds end = buffered ? pass_buffers(hop, now, size) : now + length;
    for (std::size_t i = 1; i < hop.path.size() && shares_channels_ && !buffered; ++i)
      free_at[index(hop.path[i])] = end + offset(hop, i);
    visit(TimedPiece{hop.tree, hop.hop, message / hops, now, 0}, message % hops);
    busy[index(server)] = 1;
    events.push_after(events.lane(length), now, -1 - server);
    if (end == now + length) {
      events.push_after(events.lane(length + hop.delay), now, message);
    } else {
      events.push_at(end + hop.delay, message);
    }
    finish = std::max(finish, end + hop.delay);
  };
  for (std::int32_t piece = 0; piece < order.pieces; ++piece) {
    for (std::int32_t h = 0; h < hops; ++h) {
      missing[index(piece) * index(hops) + index(h)] = static_cast<std::int16_t>(hops_[index(h)].awaits);
      const std::int32_t message = piece * hops + h;
      if (hops_[index(h)].awaits == 0 && bytes_of(message) > 0) make_ready(message);
    }
  }
  Femtoseconds now = 0;
  while (true) {
    for (const std::int32_t server : touched) start_one(server, now);
    touched.clear();
    if (events.empty()) break;
    now = events.next_time();
    while (!events.empty() && events.next_time() == now) {
      const std::int32_t message = events.pop().number;
      if (message < 0) {
        const bool is_free = -1 - message < servers_;
        const std::int32_t server = is_free ? -1 - message : -1 - message - servers_;
        if (is_free) busy[index(server)] = 0;
        touched.push_back(server);
        continue;
      }
      const Hop& hop = hops_[index(message % hops)];
      for (std::int32_t n = hop.first_next; n < hop.end_next; ++n) {
        const std::int32_t next = message - message % hops + next_[index(n)];
        if (--missing[index(next)] == 0) make_ready(next);
      }
    }
  }
  return finish;
}

bool PieceScheduler::in_steps(Bytes bytes) const {
  if (!shares_channels_) return false;
  for (const Hop& hop : hops_) {
    if (timing_.busy(hop.path, bytes) != timing_.busy(hops_.front().path, bytes)) return false;
  }
  return true;
}

bool PieceScheduler::buffered(Bytes bytes) const {
  return shares_channels_ && bytes <= longest_buffered_ && !in_steps(bytes);
}

namespace {

// The times at which messages of equal length cross a channel, and the latencies of their paths up to the
// channel.
class ChannelTimes {
 public:
  struct Crossing {
    Femtoseconds at;
    Femtoseconds offset;
  };

  bool allows(const Crossing& crossing, Femtoseconds length) const {
    const auto apart = [&](const Crossing& other) {
      return length + (other.offset == crossing.offset ? 0 : kRouterGuard);
    };
    // Only recent crossings can be too close.
    for (auto other = crossings_.rbegin(); other != crossings_.rend(); ++other) {
      if (other->at <= crossing.at - length - kRouterGuard) break;
      if (std::abs(crossing.at - other->at) < apart(*other)) return false;
    }
    return true;
  }
  void add(const Crossing& crossing) {
    crossings_.insert(std::ranges::upper_bound(crossings_, crossing.at, {}, &Crossing::at), crossing);
  }

 private:
  std::vector<Crossing> crossings_;
};

}  // namespace

template <typename Visit>
Femtoseconds PieceScheduler::run_steps(std::span<const Bytes> bytes, const PieceOrder& order,
                                       Visit visit) const {
  struct Waiting {
    Femtoseconds key;
    std::int32_t message;
    bool operator>(const Waiting& other) const {
      return std::tie(key, message) > std::tie(other.key, other.message);
    }
  };
  const auto hops = static_cast<std::int32_t>(hops_.size());
  const Bytes longest = std::ranges::max(bytes);
  const Femtoseconds step_time = timing_.busy(hops_.front().path, longest);
  const std::vector<Femtoseconds> left = remaining(bytes);
  const Femtoseconds period = this->period(bytes.front());
  std::vector<std::int16_t> missing(hops_.size() * index(order.pieces));
  std::vector<std::vector<Waiting>> waiting(index(servers_));  // [server]: sorted, most urgent last
  std::vector<ChannelTimes> channel_times(topology_.channels().size());
  std::vector<std::vector<std::int32_t>> due;  // [step]: messages whose data will have arrived by that step
  std::int64_t unsent = 0;
  const auto bytes_of = [&](std::int32_t message) {
    return bytes[index(message / hops) * index(trees_) + index(hops_[index(message % hops)].tree)];
  };
  const auto make_due = [&](std::int32_t message, std::int64_t step) {
    if (due.size() <= index(step)) due.resize(index(step) + 1);
    due[index(step)].push_back(message);
  };
  due.resize(1);
  for (std::int32_t message = 0; message < hops * order.pieces; ++message) {
    if (bytes_of(message) == 0) continue;
    ++unsent;
    missing[index(message)] = static_cast<std::int16_t>(hops_[index(message % hops)].awaits);
    if (missing[index(message)] == 0) make_due(message, 0);
  }
  const auto crossing = [&](const Hop& hop, std::size_t i, std::int64_t step) {
    const Femtoseconds before = offset(hop, i);
    return ChannelTimes::Crossing{step * step_time + before, before};
  };
  const auto fits = [&](const Hop& hop, std::int64_t step) {
    for (std::size_t i = 0; i < hop.path.size(); ++i) {
      if (!channel_times[index(hop.path[i])].allows(crossing(hop, i, step), step_time)) return false;
    }
    return true;
  };
  // [message]: the first step that begins after the message's data has arrived, for any plausible router
  // delay.
  std::vector<std::int64_t> ready_in(missing.size(), 0);
  const auto send = [&](std::int32_t message, std::int64_t step) {
    const Hop& hop = hops_[index(message % hops)];
    for (std::size_t i = 0; i < hop.path.size(); ++i) {
      channel_times[index(hop.path[i])].add(crossing(hop, i, step));
    }
    visit(
        TimedPiece{hop.tree, hop.hop, message / hops, step * step_time, static_cast<std::int32_t>(step + 1)},
        message % hops);
    --unsent;
    const Femtoseconds way = hop.delay + static_cast<Femtoseconds>(hop.path.size() + 1) * kRouterGuard;
    const Femtoseconds nominal = step_time - step_time / kHeadShare;
    const std::int64_t there = step + 1 + (way + nominal - 1) / nominal;
    for (std::int32_t n = hop.first_next; n < hop.end_next; ++n) {
      const std::int32_t next = message - message % hops + next_[index(n)];
      ready_in[index(next)] = std::max(ready_in[index(next)], there);
      if (--missing[index(next)] == 0) make_due(next, ready_in[index(next)]);
    }
    return step * step_time + step_time + hop.delay;
  };
  Femtoseconds finish = 0;
  for (std::int64_t step = 0; unsent > 0; ++step) {
    if (index(step) < due.size()) {
      for (const std::int32_t message : std::exchange(due[index(step)], {})) {
        const Hop& hop = hops_[index(message % hops)];
        const auto urgent =
            static_cast<Femtoseconds>(order.urgency * static_cast<double>(left[index(message % hops)]));
        const Waiting one{message / hops * period - urgent, message};
        auto& queue = waiting[index(hop.server)];
        // There are many initial messages, so they are only appended here and sorted below.
        queue.insert(step == 0 ? queue.end() : std::ranges::upper_bound(queue, one, std::greater{}), one);
      }
    }
    for (std::size_t server = 0; step == 0 && server < waiting.size(); ++server) {
      std::ranges::sort(waiting[server], std::greater{});
    }
    for (std::int32_t turn = 0; turn < servers_; ++turn) {
      auto& queue = waiting[index((turn + step) % servers_)];
      const std::size_t end = queue.size();
      for (std::size_t i = end; i-- > 0 && i + kLooksAt >= end;) {
        const std::int32_t message = queue[i].message;
        if (!fits(hops_[index(message % hops)], step)) continue;
        queue.erase(queue.begin() + static_cast<std::ptrdiff_t>(i));
        finish = std::max(finish, send(message, step));
        break;
      }
    }
  }
  return finish;
}

Femtoseconds PieceScheduler::finish(std::span<const Bytes> bytes, const PieceOrder& order) const {
  if (in_steps(bytes.front())) return run_steps(bytes, order, [](const TimedPiece&, std::int32_t) {});
  return run(bytes, order, [](const TimedPiece&, std::int32_t) {});
}

PieceSchedule PieceScheduler::schedule(std::span<const Bytes> bytes, const PieceOrder& order) const {
  PieceSchedule result;
  result.messages.reserve(hops_.size() * index(order.pieces));
  const auto keep = [&](const TimedPiece& piece, std::int32_t) { result.messages.push_back(piece); };
  result.in_steps = in_steps(bytes.front());
  result.finish = result.in_steps ? run_steps(bytes, order, keep) : run(bytes, order, keep);
  return result;
}

}  // namespace coppice::schedule
