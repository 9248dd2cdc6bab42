#include "schedule/proof/symmetric_check.h"

#include <algorithm>
#include <utility>

#include "schedule/proof/contention.h"
#include "schedule/proof/data_proof.h"
#include "schedule/proof/replay.h"

namespace coppice::schedule {
namespace {

using topology::Topology;

const TablePattern* pattern_of(const Schedule& schedule) {
  const TablePattern* pattern = TablePattern::of_all(schedule);
  if (pattern == nullptr) return nullptr;
  const bool plain = !schedule.numbered_arrivals && !schedule.ordered_by_lockstep && schedule.shares.empty();
  const bool same_data =
      schedule.flows == pattern->flows() && schedule.size == pattern->bytes() * pattern->flows();
  return plain && same_data ? pattern : nullptr;
}

// A route over a single channel, followed from one accelerator.
struct RouteEnd {
  topology::ChannelId channel = -1;
  NodeId dst = topology::kNoNode;
  int ejection_port = -1;
};

// Checks whether the pattern's moves map the origin's paths onto the paths of every other accelerator.
class MappedPaths {
 public:
  MappedPaths(const Topology& topology, const Schedule& schedule, const TablePattern& pattern)
      : topology_(topology), schedule_(schedule), pattern_(pattern), origin_(pattern.moves().origin()) {}

  bool hold() {
    const std::size_t ways = pattern_.ways();
    std::vector<int> ejection(schedule_.nodes.size() * ways, -1);  // [receiver * ways + way]: ejection port
    for (std::size_t n = 0; n < schedule_.nodes.size(); ++n) {
      const auto node = static_cast<NodeId>(n);
      for (std::size_t way = 0; way < ways; ++way) {
        const RouteEnd at_origin = follow(origin_, way);
        const RouteEnd here = follow(node, way);
        if (!alike(at_origin, here, node)) return false;
        ejection[static_cast<std::size_t>(here.dst) * ways + way] = here.ejection_port;
        for (std::size_t other = 0; other < way; ++other) {
          const bool shared = follow(origin_, other).channel == at_origin.channel;
          if (shared != (follow(node, other).channel == here.channel)) return false;
        }
      }
    }
    return same_ejections(ejection);
  }

 private:
  const topology::Route* route(NodeId node, std::size_t way) const {
    const std::int32_t index = pattern_.route(node, static_cast<std::int32_t>(way));
    const bool known = index >= 0 && index < static_cast<int>(schedule_.routes.size());
    return known ? &schedule_.routes[static_cast<std::size_t>(index)] : nullptr;
  }

  // Follows a path of the pattern (`way`) from `node`. The result is empty unless the path is a single
  // channel to an NI port of an accelerator.
  RouteEnd follow(NodeId node, std::size_t way) const {
    const topology::Route* hops = route(node, way);
    const auto out = topology_.out_channels(node);
    if (hops == nullptr || hops->size() != 2 || hops->front().out_port >= out.size()) return {};
    RouteEnd end;
    end.channel = out[hops->front().out_port];
    end.dst = topology_.channel(end.channel).dst;
    if (!topology_.is_accelerator(end.dst)) return {};
    end.ejection_port = hops->back().out_port - static_cast<int>(topology_.out_channels(end.dst).size());
    const auto ports = schedule_.nodes[static_cast<std::size_t>(end.dst)].ports.size();
    return end.ejection_port >= 0 && end.ejection_port < static_cast<int>(ports) ? end : RouteEnd{};
  }

  bool alike(const RouteEnd& at_origin, const RouteEnd& here, NodeId node) const {
    if (at_origin.channel < 0 || here.channel < 0) return false;
    const topology::Channel& a = topology_.channel(at_origin.channel);
    const topology::Channel& b = topology_.channel(here.channel);
    return here.dst == pattern_.moves().moved(at_origin.dst, node) && a.bandwidth == b.bandwidth &&
           a.latency == b.latency;
  }

  // Whether any two paths share an ejection port at every accelerator if and only if they share one at the
  // origin.
  bool same_ejections(const std::vector<int>& ejection) const {
    const std::size_t ways = pattern_.ways();
    const int* at_origin = &ejection[static_cast<std::size_t>(origin_) * ways];
    for (std::size_t first = 0; first < ejection.size(); first += ways) {
      for (std::size_t way = 0; way < ways; ++way) {
        for (std::size_t other = 0; other < way; ++other) {
          const bool shared = ejection[first + way] == ejection[first + other];
          if (shared != (at_origin[way] == at_origin[other])) return false;
        }
      }
    }
    return true;
  }

  const Topology& topology_;
  const Schedule& schedule_;
  const TablePattern& pattern_;
  NodeId origin_;
};

// The ejection ports of the origin's messages are ports of their receivers. Replaces them with the ports at
// which the images of these messages arrive at the origin.
void eject_at_origin(const Topology& topology, const Schedule& schedule, const TablePattern& pattern,
                     std::vector<Message>& messages) {
  const NodeId origin = pattern.moves().origin();
  std::vector<int> port_of_route(schedule.routes.size(), -1);
  for (std::size_t way = 0; way < pattern.ways(); ++way) {
    const std::int32_t route = pattern.route(origin, static_cast<std::int32_t>(way));
    const auto out = schedule.routes[static_cast<std::size_t>(route)].front().out_port;
    const NodeId receiver = topology.channel(topology.out_channels(origin)[out]).dst;
    const NodeId sender = pattern.moves().moved_back(origin, receiver);
    const auto& arrives =
        schedule.routes[static_cast<std::size_t>(pattern.route(sender, static_cast<std::int32_t>(way)))];
    port_of_route[static_cast<std::size_t>(route)] =
        arrives.back().out_port - static_cast<int>(topology.out_channels(origin).size());
  }
  for (Message& message : messages) {
    message.ejection_port = port_of_route[static_cast<std::size_t>(message.entry->route)];
  }
}

// The messages of all accelerators for one flow of the origin, namely that of `piece`. They are derived from
// the origin's messages for that piece of every chunk: each message is moved so that the chunk's owner
// becomes the origin.
struct FlowOfOrigin {
  FlowOfOrigin(const TablePattern& pattern, std::span<const Message> messages, std::int32_t piece) {
    const Translations& moves = pattern.moves();
    const std::int32_t flow = moves.origin() * pattern.pieces() + piece;
    for (const Message& message : messages) {
      if (message.entry->flow % pattern.pieces() != piece) continue;
      const NodeId owner = message.entry->flow / pattern.pieces();
      TableEntry& entry = entries.emplace_back(*message.entry);
      entry.flow = flow;
      entry.address = flow * pattern.bytes();
      if (entry.parent != topology::kNoNode) entry.parent = moves.moved_back(entry.parent, owner);
      for (NodeId& child : entry.children) child = moves.moved_back(child, owner);
      Message& moved = all.emplace_back(message);
      moved.src = moves.moved_back(message.src, owner);
      moved.dst = moves.moved_back(message.dst, owner);
    }
    for (std::size_t i = 0; i < all.size(); ++i) all[i].entry = &entries[i];
    std::ranges::stable_sort(all, {}, &Message::round);
  }

  std::vector<TableEntry> entries;
  std::vector<Message> all;  // sorted by round
};

}  // namespace

const TablePattern* symmetry_of(const Topology& topology, const Schedule& schedule) {
  const TablePattern* pattern = pattern_of(schedule);
  if (pattern == nullptr || static_cast<int>(schedule.nodes.size()) != topology.num_accelerators()) {
    return nullptr;
  }
  return MappedPaths(topology, schedule, *pattern).hold() ? pattern : nullptr;
}

CheckReport check_symmetric(const Topology& topology, const Schedule& schedule, const TablePattern& pattern) {
  const Schedule alone = with_tables_of(schedule, pattern.moves().origin());
  std::vector<Message> messages = collect_messages(topology, alone);
  CheckReport report;
  report.symmetry = &pattern;
  replay(alone, messages, &pattern);
  eject_at_origin(topology, schedule, pattern, messages);
  find_contention(topology, alone, messages, report, &pattern);
  report.additions.resize(static_cast<std::size_t>(schedule.flows));
  for (std::int32_t piece = 0; piece < pattern.pieces(); ++piece) {
    const FlowOfOrigin flow(pattern, messages, piece);
    const int additions = prove_flow(alone, flow.all);
    for (std::size_t f = static_cast<std::size_t>(piece); f < report.additions.size();
         f += static_cast<std::size_t>(pattern.pieces())) {
      report.additions[f] = additions;
    }
  }
  return report;
}

namespace {

std::vector<TableEntry> messages_of(const Table& table) {
  std::vector<TableEntry> entries;
  entries.reserve(table.size());
  table.for_each_entry([&](const TableEntry& entry) { entries.push_back(entry); });
  return entries;
}

}  // namespace

Schedule with_tables_of(const Schedule& schedule, NodeId node, Names names) {
  Schedule alone = without_tables(schedule);
  alone.routes = schedule.routes;
  alone.nodes.resize(schedule.nodes.size());
  for (std::size_t n = 0; n < alone.nodes.size(); ++n) {
    alone.nodes[n].ports.resize(schedule.nodes[n].ports.size());
  }
  auto& tables = alone.nodes[static_cast<std::size_t>(node)];
  tables = schedule.nodes[static_cast<std::size_t>(node)];
  for (Table& table : tables.ports) {
    if (names == Names::kAll) {
      table.entries();
    } else {
      table = messages_of(table);
    }
  }
  return alone;
}

bool has_patterns(const Schedule& schedule) {
  return std::ranges::any_of(schedule.nodes, [](const NodeTables& node) {
    return std::ranges::any_of(node.ports, [](const Table& table) { return table.source() != nullptr; });
  });
}

Schedule with_stored_entries(const Schedule& schedule) {
  Schedule stored = schedule;
  for (NodeTables& node : stored.nodes) {
    for (Table& table : node.ports) table.entries();
  }
  return stored;
}

}  // namespace coppice::schedule
