#include "schedule/packed_trees/expected_time.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "schedule/packed_trees/event_lanes.h"
#include "schedule/packed_trees/piece_schedule.h"

namespace coppice::schedule {
namespace {

using topology::ChannelId;
using topology::NodeId;
using topology::Topology;

class TableExecution {
 public:
  TableExecution(const Topology& topology, const CompileRequest& request, const Schedule& schedule,
                 Waiting waiting)
      : topology_(topology),
        waiting_(waiting),
        schedule_(schedule),
        timing_(topology, request),
        router_(request.timing.router),
        setup_(request.timing.message_setup),
        first_moving_(schedule.flows * static_cast<std::int32_t>(schedule.nodes.size())),
        free_at_(topology.channels().size(), 0),
        arrived_(schedule.nodes.size() * static_cast<std::size_t>(schedule.flows), 0) {
    for (std::size_t node = 0; node < schedule.nodes.size(); ++node) {
      first_port_.push_back(ports_.size());
      for (const Table& table : schedule.nodes[node].ports) {
        ports_.push_back({.node = static_cast<NodeId>(node), .table = &table});
      }
    }
    first_port_.push_back(ports_.size());
    if (waiting != Waiting::kInVirtualChannels) return;
    queues_.resize(topology.channels().size());
    next_vc_.resize(topology.channels().size());
    buffer_ = request.timing.buffer * request.timing.flit;
    for (const topology::Route& route : schedule.routes) {
      for (const topology::Hop& hop : route) vcs_ = std::max<std::size_t>(vcs_, hop.vcs.end);
    }
    buffers_.resize(topology.channels().size() * vcs_);
  }

  Femtoseconds run(Femtoseconds limit) {
    for (std::size_t port = 0; port < ports_.size(); ++port) issue(port, 0);
    const auto nodes = static_cast<std::int32_t>(schedule_.nodes.size());
    while (!events_.empty() && finish_ <= limit) {
      const EventLanes::Event event = events_.pop();
      if (event.number < 0) {
        const auto below = static_cast<std::size_t>(-event.number);
        if (below <= ports_.size()) issue(ports_.size() - below, event.at);
        if (below > ports_.size()) leave(below - ports_.size() - 1, event.at);
        continue;
      }
      if (event.number >= first_moving_) {
        pass(event.number - first_moving_, event.at);
        continue;
      }
      const std::int32_t flow = event.number / nodes;
      const NodeId node = event.number % nodes;
      ++count(node, flow);
      for (std::size_t port = first_port_[static_cast<std::size_t>(node)];
           port < first_port_[static_cast<std::size_t>(node) + 1]; ++port) {
        if (ports_[port].awaits == flow) issue(port, event.at);
      }
    }
    // Messages that wait for each other's virtual channels never arrive.
    return events_.empty() && waiting_messages_ > 0 ? std::numeric_limits<Femtoseconds>::max() : finish_;
  }

 private:
  struct Port {
    NodeId node = topology::kNoNode;
    const Table* table = nullptr;
    std::size_t next = 0;
    Femtoseconds free_at = 0;
    std::int32_t awaits = -1;  // flow for whose arrival the next message waits; -1: none
  };

  std::int32_t& count(NodeId node, std::int32_t flow) {
    return arrived_[static_cast<std::size_t>(node) * static_cast<std::size_t>(schedule_.flows) +
                    static_cast<std::size_t>(flow)];
  }

  void follow(NodeId src, std::int32_t route) {
    path_.clear();
    ranges_.clear();
    NodeId at = src;
    for (const topology::Hop& hop : schedule_.routes[static_cast<std::size_t>(route)]) {
      const auto out = topology_.out_channels(at);
      if (hop.out_port >= out.size()) break;
      path_.push_back(out[hop.out_port]);
      ranges_.push_back(hop.vcs);
      at = topology_.channel(path_.back()).dst;
    }
  }

  void issue(std::size_t index, Femtoseconds now) {
    Port& port = ports_[index];
    port.awaits = -1;
    if (now < port.free_at) return;  // the port's event at free_at will call issue()
    while (port.next < port.table->size()) {
      port.table->read_message(port.next, entry_);
      if (entry_.op == Op::kNop) {
        ++port.next;
        hold(index, now, busy(topology_.out_channels(port.node).first(1), entry_.bytes));
        return;
      }
      if (count(port.node, entry_.flow) < entry_.dependencies) {
        port.awaits = entry_.flow;
        return;
      }
      follow(port.node, entry_.route);
      const Femtoseconds start = waiting_ == Waiting::kAtPorts ? possible_at(now) : now;
      if (start > now) {
        port.free_at = start;
        events_.push_at(start, number_of(index));
        return;
      }
      const Femtoseconds length = busy(path_, entry_.message_bytes(), entry_.destination());
      if (waiting_ == Waiting::kAtPorts) {
        hold_path(now + length);
        const Femtoseconds way_on = length + timing_.delay(path_, entry_.op);
        events_.push_after(events_.lane(way_on), now, arrival_of(entry_));
        finish_ = std::max(finish_, now + way_on);
      } else {
        send(now);
      }
      ++port.next;
      hold(index, now, length);
      return;
    }
  }

  // The earliest time, not before `now`, at which a message can start such that every channel of path_ is
  // free when the message reaches the channel.
  Femtoseconds possible_at(Femtoseconds now) const {
    Femtoseconds way = 0;
    for (const ChannelId id : path_) {
      now = std::max(now, free_at_[static_cast<std::size_t>(id)] - way);
      way += topology_.channel(id).latency + router_;
    }
    return now;
  }

  // Occupies all channels of path_ for a message whose port is busy until `end`.
  void hold_path(Femtoseconds end) {
    for (const ChannelId id : path_) {
      free_at_[static_cast<std::size_t>(id)] = end;
      end += topology_.channel(id).latency + router_;
    }
  }

  // A message on its way from router to router.
  struct Moving {
    ChannelPath path;
    std::size_t passed = 0;  // number of channels passed
    Bytes bytes = 0;
    Femtoseconds end = 0;   // time at which the last flit has passed these channels
    Femtoseconds rest = 0;  // time from `end` until dependent messages may be sent
    std::int32_t arrival = 0;
    std::vector<topology::VcRange> ranges{};  // of virtual channels, for each channel of the path
    std::size_t slot = 0;                     // the virtual channel that holds the message
    bool ready = false;                       // whether its first flit has reached the end of that channel
  };

  // A router's buffer for a virtual channel of an incoming channel.
  struct VirtualChannel {
    // A message that has entered, and its number; -1 once it has begun to leave.
    struct Entered {
      std::int32_t number;
      Bytes bytes;
    };
    std::deque<Entered> messages;
    Bytes held = 0;

    bool has_room(Bytes bytes, Bytes buffer) const { return messages.empty() || held + bytes <= buffer; }
  };
  using Queue = std::deque<std::int32_t>;  // messages that wait for a channel

  // Handles the arrival of a message's first flit at a channel. The message enters the channel as soon as all
  // earlier messages have left it.
  void pass(std::int32_t number, Femtoseconds now) {
    if (waiting_ != Waiting::kInVirtualChannels) {
      enter(number, now);
      return;
    }
    Moving& message = moving_[static_cast<std::size_t>(number)];
    message.ready = true;
    if (message.passed == 0 || buffers_[message.slot].messages.front().number == number) ask(number, now);
  }

  void ask(std::int32_t number, Femtoseconds now) {
    const Moving& message = moving_[static_cast<std::size_t>(number)];
    Queue& queue = queues_[static_cast<std::size_t>(message.path[message.passed])];
    queue.push_back(number);
    ++waiting_messages_;
    if (queue.size() == 1) enter_next(queue, now);
  }

  // Lets waiting messages enter a channel, in their order, while virtual channels have room.
  void enter_next(Queue& queue, Femtoseconds now) {
    while (!queue.empty()) {
      const std::int32_t number = queue.front();
      Moving& message = moving_[static_cast<std::size_t>(number)];
      const bool last = message.passed + 1 == message.path.size();
      const std::size_t from = message.passed > 0 ? message.slot : buffers_.size();
      if (!last) {
        const std::optional<std::size_t> slot = find_room(message);
        if (!slot) return;
        message.slot = *slot;
        message.ready = false;
        buffers_[*slot].messages.push_back({number, message.bytes});
        buffers_[*slot].held += message.bytes;
      }
      const auto id = static_cast<std::size_t>(message.path[message.passed]);
      queue.pop_front();
      --waiting_messages_;
      enter(number, now);
      if (from == buffers_.size()) continue;
      buffers_[from].messages.front().number = -1;
      events_.push_at(free_at_[id], number_of_slot(from));
    }
  }

  // A virtual channel of the next channel, in rotation, that has room for a message.
  std::optional<std::size_t> find_room(const Moving& message) {
    const auto id = static_cast<std::size_t>(message.path[message.passed]);
    const topology::VcRange range = message.ranges[message.passed];
    const std::size_t count = static_cast<std::size_t>(range.end - range.begin);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t slot = id * vcs_ + range.begin + (next_vc_[id] + i) % count;
      if (!buffers_[slot].has_room(message.bytes, buffer_)) continue;
      next_vc_[id] += i + 1;
      return slot;
    }
    return std::nullopt;
  }

  // Handles the departure of a message's last flit from a virtual channel.
  void leave(std::size_t slot, Femtoseconds now) {
    VirtualChannel& buffer = buffers_[slot];
    buffer.held -= buffer.messages.front().bytes;
    buffer.messages.pop_front();
    if (!buffer.messages.empty()) {
      const std::int32_t next = buffer.messages.front().number;
      if (moving_[static_cast<std::size_t>(next)].ready) ask(next, now);
    }
    enter_next(queues_[slot / vcs_], now);
  }

  // Moves a message over the next channel of its path.
  void enter(std::int32_t number, Femtoseconds now) {
    Moving& message = moving_[static_cast<std::size_t>(number)];
    const ChannelId id = message.path[message.passed++];
    Femtoseconds& free = free_at_[static_cast<std::size_t>(id)];
    const Femtoseconds begin = std::max(now, free);
    free = begin + busy({&id, 1}, message.bytes) - setup_of(topology_.channel(id).src);
    const Femtoseconds way = topology_.channel(id).latency + router_;
    message.end = std::max(message.end, free) + way;
    if (message.passed < message.path.size()) {
      events_.push_at(begin + way, first_moving_ + number);
      return;
    }
    events_.push_at(message.end + message.rest, message.arrival);
    finish_ = std::max(finish_, message.end + message.rest);
    idle_.push_back(number);
  }

  void send(Femtoseconds now) {
    if (idle_.empty()) {
      idle_.push_back(static_cast<std::int32_t>(moving_.size()));
      moving_.emplace_back();
    }
    const std::int32_t number = idle_.back();
    idle_.pop_back();
    Femtoseconds rest = timing_.delay(path_, entry_.op);
    for (const ChannelId id : path_) rest -= topology_.channel(id).latency + router_;
    moving_[static_cast<std::size_t>(number)] = {
        .path = path_,
        .bytes = entry_.message_bytes(),
        .rest = rest,
        .arrival = arrival_of(entry_),
        .ranges = waiting_ == Waiting::kInVirtualChannels ? ranges_ : std::vector<topology::VcRange>{}};
    pass(number, now + setup_of(topology_.channel(path_.front()).src));
  }

  // The setup time of a node's messages; switches have none.
  Femtoseconds setup_of(NodeId node) const { return topology_.is_accelerator(node) ? setup_ : 0; }

  // The event number of a message's arrival.
  std::int32_t arrival_of(const TableEntry& entry) const {
    return entry.flow * static_cast<std::int32_t>(schedule_.nodes.size()) +
           static_cast<std::int32_t>(entry.destination());
  }

  // The event number of a port that tries to issue.
  std::int32_t number_of(std::size_t port) const {
    return static_cast<std::int32_t>(port) - static_cast<std::int32_t>(ports_.size());
  }

  // The event number of a departure from a virtual channel.
  std::int32_t number_of_slot(std::size_t slot) const {
    return -1 - static_cast<std::int32_t>(ports_.size() + slot);
  }

  void hold(std::size_t index, Femtoseconds now, Femtoseconds length) {
    ports_[index].free_at = now + length;
    events_.push_after(events_.lane(length), now, number_of(index));
  }

  // MessageTiming::busy(), cached for the most recent bandwidth and size.
  Femtoseconds busy(std::span<const ChannelId> path, Bytes bytes, NodeId destination = topology::kNoNode) {
    const bool at_switches =
        !path.empty() && (!topology_.is_accelerator(topology_.channel(path.front()).src) ||
                          destination >= topology_.num_accelerators());
    if (at_switches) return timing_.busy(path, bytes, destination);
    std::int64_t slowest = std::numeric_limits<std::int64_t>::max();
    for (const ChannelId id : path)
      slowest = std::min(slowest, topology_.channel(id).bandwidth.bytes_per_second);
    if (std::pair(slowest, bytes) != last_message_) {
      last_message_ = {slowest, bytes};
      last_busy_ = timing_.busy(path, bytes);
    }
    return last_busy_;
  }

  const Topology& topology_;
  Waiting waiting_;
  const Schedule& schedule_;
  MessageTiming timing_;
  Femtoseconds router_;
  Femtoseconds setup_;
  std::int32_t first_moving_;
  std::vector<Femtoseconds> free_at_;  // [channel]: time at which it becomes free
  std::vector<std::int32_t> arrived_;  // [node * flows + flow]: number of arrivals
  std::vector<Port> ports_;
  std::vector<std::size_t> first_port_;  // [node]: index of its first port
  // Event numbers below 0 come from number_of() and number_of_slot(), and numbers from 0 to first_moving_ - 1
  // come from arrival_of(). Higher numbers are first_moving_ plus the index in moving_ of a message that
  // reaches a channel.
  EventLanes events_;
  std::vector<Moving> moving_;
  std::vector<std::int32_t> idle_;                       // free elements of moving_
  std::pair<std::int64_t, Bytes> last_message_{-1, -1};  // slowest bandwidth in bytes per second, and size
  Femtoseconds last_busy_ = 0;
  Femtoseconds finish_ = 0;
  TableEntry entry_;
  ChannelPath path_;
  std::vector<topology::VcRange> ranges_;  // of virtual channels, for each channel of path_
  // Used with kInVirtualChannels only:
  std::size_t vcs_ = 1;                  // virtual channels per channel
  Bytes buffer_ = 0;                     // size of a virtual channel's buffer
  std::vector<Queue> queues_;            // [channel]
  std::vector<std::size_t> next_vc_;     // [channel]
  std::vector<VirtualChannel> buffers_;  // [channel * vcs_ + virtual channel]
  std::int64_t waiting_messages_ = 0;
};

}  // namespace

Femtoseconds expected_time(const Topology& topology, const CompileRequest& request, const Schedule& schedule,
                           Femtoseconds limit, Waiting waiting) {
  return TableExecution(topology, request, schedule, waiting).run(limit);
}

}  // namespace coppice::schedule
