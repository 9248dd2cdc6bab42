#include "schedule/automatic/expected_time.h"

#include <algorithm>
#include <queue>
#include <tuple>
#include <vector>

#include "schedule/packed_trees/piece_schedule.h"

namespace coppice::schedule {
namespace {

using topology::ChannelId;
using topology::NodeId;
using topology::Topology;

class TableExecution {
 public:
  TableExecution(const Topology& topology, const CompileRequest& request, const Schedule& schedule)
      : topology_(topology),
        schedule_(schedule),
        timing_(topology, request),
        router_(request.timing.router),
        free_at_(topology.channels().size(), 0),
        arrived_(schedule.nodes.size() * static_cast<std::size_t>(schedule.flows), 0) {
    for (std::size_t node = 0; node < schedule.nodes.size(); ++node) {
      first_port_.push_back(ports_.size());
      for (const Table& table : schedule.nodes[node].ports) {
        ports_.push_back({.node = static_cast<NodeId>(node), .table = &table});
      }
    }
    first_port_.push_back(ports_.size());
  }

  Femtoseconds run() {
    for (std::size_t port = 0; port < ports_.size(); ++port) issue(port, 0);
    while (!events_.empty()) {
      const Event event = events_.top();
      events_.pop();
      if (event.flow < 0) {
        issue(static_cast<std::size_t>(event.place), event.at);
        continue;
      }
      const auto node = static_cast<NodeId>(event.place);
      ++count(node, event.flow);
      for (std::size_t port = first_port_[static_cast<std::size_t>(node)];
           port < first_port_[static_cast<std::size_t>(node) + 1]; ++port) {
        if (ports_[port].awaits == event.flow) issue(port, event.at);
      }
    }
    return finish_;
  }

 private:
  struct Port {
    NodeId node = topology::kNoNode;
    const Table* table = nullptr;
    std::size_t next = 0;
    Femtoseconds free_at = 0;
    std::int32_t awaits = -1;  // a flow
  };
  struct Event {
    Femtoseconds at;
    std::int32_t flow;  // arrives at node `place`; -1: port `place` may issue
    std::int32_t place;
    bool operator>(const Event& other) const {
      return std::tie(at, flow, place) > std::tie(other.at, other.flow, other.place);
    }
  };

  std::int32_t& count(NodeId node, std::int32_t flow) {
    return arrived_[static_cast<std::size_t>(node) * static_cast<std::size_t>(schedule_.flows) +
                    static_cast<std::size_t>(flow)];
  }

  // path_ of a message.
  void follow(NodeId src, std::int32_t route) {
    path_.clear();
    NodeId at = src;
    for (const topology::Hop& hop : schedule_.routes[static_cast<std::size_t>(route)]) {
      const auto out = topology_.out_channels(at);
      if (hop.out_port >= out.size()) break;
      path_.push_back(out[hop.out_port]);
      at = topology_.channel(path_.back()).dst;
    }
  }

  void issue(std::size_t index, Femtoseconds now) {
    Port& port = ports_[index];
    port.awaits = -1;
    if (now < port.free_at) return;  // looks again then
    while (port.next < port.table->size()) {
      port.table->read_message(port.next, entry_);
      if (entry_.op == Op::kNop) {
        ++port.next;
        hold(index, std::max(now, port.free_at) +
                        timing_.busy(topology_.out_channels(port.node).first(1), entry_.bytes));
        return;
      }
      if (count(port.node, entry_.flow) < entry_.dependencies) {
        port.awaits = entry_.flow;
        return;
      }
      follow(port.node, entry_.route);
      Femtoseconds start = now;
      Femtoseconds way = 0;
      for (const ChannelId id : path_) {
        start = std::max(start, free_at_[static_cast<std::size_t>(id)] - way);
        way += topology_.channel(id).latency + router_;
      }
      if (start > now) {
        hold(index, start);
        return;
      }
      const Femtoseconds end = now + timing_.busy(path_, entry_.message_bytes());
      way = 0;
      for (const ChannelId id : path_) {
        free_at_[static_cast<std::size_t>(id)] = end + way;
        way += topology_.channel(id).latency + router_;
      }
      const Femtoseconds arrival = end + timing_.delay(path_, entry_.op);
      events_.push({arrival, entry_.flow, static_cast<std::int32_t>(entry_.destination())});
      finish_ = std::max(finish_, arrival);
      ++port.next;
      hold(index, end);
      return;
    }
  }

  void hold(std::size_t index, Femtoseconds until) {
    ports_[index].free_at = until;
    events_.push({until, -1, static_cast<std::int32_t>(index)});
  }

  const Topology& topology_;
  const Schedule& schedule_;
  MessageTiming timing_;
  Femtoseconds router_;
  std::vector<Femtoseconds> free_at_;  // [channel]
  std::vector<std::int32_t> arrived_;  // [node * flows + flow]
  std::vector<Port> ports_;
  std::vector<std::size_t> first_port_;  // [node]
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  Femtoseconds finish_ = 0;
  TableEntry entry_;
  ChannelPath path_;
};

}  // namespace

Femtoseconds expected_time(const Topology& topology, const CompileRequest& request,
                           const Schedule& schedule) {
  return TableExecution(topology, request, schedule).run();
}

}  // namespace coppice::schedule
