#include "system/program/folding/folded_collectives.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/index.h"
#include "system/collective/verification.h"
#include "system/machine/build.h"

namespace coppice::system {
namespace {

using schedule::Op;
using schedule::TableEntry;
using topology::NodeId;
using topology::Route;
using workload::GroupCollective;
using workload::Program;

// [segment of the arriving message]: the corresponding segment of the sent message; empty if segments have
// the same order in both.
std::vector<std::int32_t> parts_of(const TableEntry& sent, const TableEntry& arriving,
                                   const std::vector<std::int32_t>& segments,
                                   const std::vector<Bytes>& boundaries) {
  const auto segment = [&](Bytes address) {
    return std::ranges::lower_bound(boundaries, address) - boundaries.begin();
  };
  const auto from = static_cast<std::int32_t>(segment(sent.address));
  std::vector<std::int32_t> parts;
  bool in_order = true;
  for (auto s = segment(arriving.address); s < segment(arriving.address + arriving.bytes); ++s) {
    parts.push_back(segments[index(s)] - from);
    in_order = in_order && parts.back() == static_cast<std::int32_t>(parts.size()) - 1;
  }
  return in_order ? std::vector<std::int32_t>{} : parts;
}

}  // namespace

Program fold_program(const workload::ReplicatedProgram& replicated) {
  const Program& whole = replicated.program;
  const std::vector<int>& kept = replicated.copies.front();
  std::vector<int> role(whole.ranks.size(), -1);
  for (std::size_t i = 0; i < kept.size(); ++i) role[index(kept[i])] = static_cast<int>(i);
  Program folded;
  folded.name = whole.name;
  folded.collectives = whole.collectives;
  folded.transfers = whole.transfers;
  folded.assumptions = whole.assumptions;
  folded.layers = whole.layers;
  folded.samples = whole.samples;
  for (const workload::RankGroup& group : whole.groups) {
    folded.groups.push_back({group.name, {}});
    for (const int rank : group.ranks) {
      if (role[index(rank)] >= 0) folded.groups.back().ranks.push_back(role[index(rank)]);
    }
  }
  for (workload::Transfer& transfer : folded.transfers) {
    transfer.source = role[index(transfer.source)];
    transfer.destination = role[index(transfer.destination)];
  }
  for (const int rank : kept) folded.ranks.push_back(whole.ranks[index(rank)]);
  return folded;
}

FoldedCollectives::FoldedCollectives(const config::Loaded& loaded, const topology::Topology& machine,
                                     const topology::RoutingFunction& routing,
                                     const QuotientNetwork& quotient,
                                     const workload::ReplicatedProgram& replicated)
    : loaded_(loaded),
      machine_(machine),
      routing_(routing),
      quotient_(quotient),
      replicated_(replicated),
      ni_ports_(resolve_ni_ports(loaded.config, machine)),
      compiler_(loaded, machine, routing),
      routes_(quotient.topology(), loaded.config.system.router.vcs),
      copy_of_(replicated.program.ranks.size(), -1),
      role_of_(replicated.program.ranks.size(), -1) {
  for (std::size_t copy = 0; copy < replicated.copies.size(); ++copy) {
    for (std::size_t role = 0; role < replicated.copies[copy].size(); ++role) {
      copy_of_[index(replicated.copies[copy][role])] = static_cast<int>(copy);
      role_of_[index(replicated.copies[copy][role])] = static_cast<int>(role);
    }
  }
}

// The accelerators of copy `copy` that correspond to accelerators of copy 0.
FoldedCollectives::Members FoldedCollectives::image(const Members& accelerators, std::size_t copy) const {
  Members there;
  for (const NodeId node : accelerators) {
    there.push_back(replicated_.copies[copy][index(role_of_[index(node)])]);
  }
  return there;
}

const CompiledCollective* FoldedCollectives::compiled_collective(const Program& /*program*/,
                                                                 std::int32_t number) {
  const GroupCollective& collective = replicated_.program.collectives[index(number)];
  const Members& group = replicated_.program.groups[index(collective.group)].ranks;
  if (group.size() < 2) return nullptr;
  const Bytes bytes = compiler_.bytes_of(collective, group.size());
  const int root = rooted(collective.op) ? collective.root : -1;
  auto& known = collectives_[{group, collective.op, bytes, root}];
  if (known != nullptr) return known.get();
  const auto within = std::ranges::count_if(group, [&](int rank) { return copy_of_[index(rank)] == 0; });
  if (within == static_cast<std::ptrdiff_t>(group.size())) {
    require_like_groups(group);
    const CompiledCollective& whole = compiler_.collective(collective, group);
    std::vector<std::size_t> all(whole.accelerators.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
    known = std::make_unique<CompiledCollective>(fold(whole, all));
  } else {
    known = std::make_unique<CompiledCollective>(fold_joined(collective, group));
  }
  finish(*known);
  return known.get();
}

const CompiledCollective* FoldedCollectives::compiled_transfer(const Program& /*program*/,
                                                               std::int32_t number) {
  const workload::Transfer& transfer = replicated_.program.transfers[index(number)];
  const Members ends{transfer.source, transfer.destination};
  const CompiledCollective& whole = compiler_.transfer(ends[0], ends[1], transfer.bytes);
  auto& known = transfers_[&whole];
  if (known != nullptr) return known.get();
  const auto route = [&](const Members& of) {
    return route_image(of[0], topology::machine_route(machine_, routing_, of[0], of[1], ni_ports_));
  };
  const Route expected = route(ends);
  for (std::size_t copy = 1; copy < replicated_.copies.size(); ++copy) {
    if (route(image(ends, copy)) != expected)
      throw UnlikeCopies("transfers take different routes in different copies");
  }
  known = std::make_unique<CompiledCollective>(fold(whole, {0, 1}));
  finish(*known);
  return known.get();
}

Route FoldedCollectives::route_image(NodeId src, const Route& route) const {
  auto image = quotient_.image(src, route);
  if (!image) throw UnlikeCopies("messages use channels that copies share");
  return *std::move(image);
}

// Compares a group's network with those of the corresponding groups in other copies. Groups of equal shape
// have equal schedules, numbered in their networks' order. For routed groups, the routes between all pairs of
// members must also correspond, so that messages use corresponding channels.
void FoldedCollectives::require_like_groups(const Members& accelerators) {
  if (!compared_.insert(accelerators).second) return;
  const GroupNetwork& own = compiler_.network(accelerators);
  for (std::size_t copy = 1; copy < replicated_.copies.size(); ++copy) {
    const GroupNetwork other(loaded_, machine_, routing_, image(accelerators, copy));
    const auto channel = [&](topology::ChannelId id) { return quotient_.channel(id); };
    if (own.shape() != other.shape() || other.accelerators() != image(own.accelerators(), copy) ||
        !own.placed_like(other, channel)) {
      throw UnlikeCopies("groups are connected differently in different copies");
    }
    if (own.kind() != GroupNetwork::Kind::kRouted) continue;
    for (const NodeId src : own.accelerators()) {
      for (const NodeId dst : own.accelerators()) {
        if (src == dst) continue;
        const Members there = image({src, dst}, copy);
        if (route_image(src, topology::machine_route(machine_, routing_, src, dst, ni_ports_)) !=
            route_image(there[0],
                        topology::machine_route(machine_, routing_, there[0], there[1], ni_ports_))) {
          throw UnlikeCopies("messages of a group take different routes in different copies");
        }
      }
    }
  }
}

// The entry with its parent and children replaced by nodes of the quotient network.
TableEntry FoldedCollectives::in_quotient(TableEntry entry) const {
  if (entry.parent >= 0) entry.parent = quotient_.node(entry.parent);
  for (NodeId& child : entry.children) child = quotient_.node(child);
  return entry;
}

// Creates a collective with only the tables of the members `kept`, on the quotient network.
CompiledCollective FoldedCollectives::fold(const CompiledCollective& whole,
                                           const std::vector<std::size_t>& kept) {
  if (whole.interfaces.size() != whole.accelerators.size()) throw UnlikeCopies("switches reduce");
  CompiledCollective folded;
  folded.op = whole.op;
  folded.report = whole.report;
  folded.expected = whole.expected;
  folded.least = whole.least;
  folded.bandwidth_ns = whole.bandwidth_ns;
  folded.least_ns = whole.least_ns;
  folded.late = whole.late;
  schedule::Schedule& schedule = folded.schedule;
  const schedule::Schedule& from = whole.schedule;
  schedule = without_tables(from);
  for (const std::size_t member : kept) {
    const NodeId node = whole.accelerators[member];
    folded.accelerators.push_back(quotient_.node(node));
    // [route of the whole schedule]: route on the quotient network.
    std::map<std::int32_t, std::int32_t> routes;
    auto& tables = schedule.nodes.emplace_back();
    for (const schedule::Table& table : from.nodes[member].ports) {
      schedule::Table& own = tables.ports.emplace_back();
      for (const TableEntry& message : table) {
        TableEntry entry = in_quotient(message);
        if (entry.route >= 0) {
          const auto [known, is_new] =
              routes.try_emplace(entry.route, static_cast<std::int32_t>(schedule.routes.size()));
          if (is_new) schedule.routes.push_back(route_image(node, from.routes[index(entry.route)]));
          entry.route = known->second;
        }
        own.push_back(std::move(entry));
      }
    }
  }
  folded.interfaces = folded.accelerators;
  return folded;
}

CompiledCollective FoldedCollectives::fold_joined(const GroupCollective& collective,
                                                  const Members& accelerators) {
  if (rooted(collective.op) || collective.op == workload::CollectiveOp::kAllToAll ||
      collective.as_configured) {
    throw UnlikeCopies(fmt::format("'{}' treats the copies differently", collective.name));
  }
  const CompiledCollective whole = compiler_.placed(collective, accelerators);
  if (whole.schedule.repetition.step != 0) throw UnlikeCopies("tables are folded into loops");
  const auto boundaries = contribution_boundaries(whole.schedule);
  if (boundaries == nullptr) throw UnlikeCopies("the data has too many parts to track");
  const CopyPattern pattern = pattern_of(whole, *boundaries);
  require_own_channels(whole, pattern);
  std::vector<std::size_t> kept;
  for (const auto& by_copy : pattern.members) kept.push_back(index(by_copy.front()));
  CompiledCollective folded = fold(whole, kept);
  auto images = std::make_shared<CollectiveImages>();
  images->outline = without_tables(whole.schedule);
  images->outline.nodes.resize(whole.schedule.nodes.size());
  images->boundaries = boundaries;
  for (const std::size_t member : kept) images->members.push_back(static_cast<NodeId>(member));
  images->arrivals = arrivals_of(whole, pattern, folded, *boundaries);
  folded.images = std::move(images);
  return folded;
}

CopyPattern FoldedCollectives::pattern_of(const CompiledCollective& whole,
                                          const std::vector<Bytes>& boundaries) const {
  std::map<int, int> roles;
  std::vector<CopyMember> of;
  std::vector<std::int32_t> member_of(index(machine_.num_nodes()), -1);
  for (std::size_t member = 0; member < whole.accelerators.size(); ++member) {
    const auto rank = index(whole.accelerators[member]);
    member_of[rank] = static_cast<std::int32_t>(member);
    if (copy_of_[rank] < 0) throw UnlikeCopies("a group has members outside the copies");
    const int role = roles.try_emplace(role_of_[rank], static_cast<int>(roles.size())).first->second;
    of.push_back({role, copy_of_[rank]});
  }
  auto pattern = find_copy_pattern(whole.schedule, of, member_of, boundaries);
  if (!pattern || pattern->members.front().size() != replicated_.copies.size()) {
    throw UnlikeCopies(
        fmt::format("{} gives members of different copies different tables", whole.schedule.algorithm));
  }
  return *std::move(pattern);
}

// At each hop, an entry's messages must take a different channel in every copy, and these channels must
// correspond.
void FoldedCollectives::require_own_channels(const CompiledCollective& whole,
                                             const CopyPattern& pattern) const {
  for (const auto& by_copy : pattern.members) {
    const auto& first = whole.schedule.nodes[index(by_copy.front())];
    for (std::size_t port = 0; port < first.ports.size(); ++port) {
      std::map<std::vector<std::int32_t>, bool> compared;  // [routes in all copies]: true once compared
      for (std::size_t i = 0; i < first.ports[port].size(); ++i) {
        std::vector<std::int32_t> routes;
        for (const int member : by_copy) {
          TableEntry entry;
          whole.schedule.nodes[index(member)].ports[port].read_message(i, entry);
          routes.push_back(entry.route);
        }
        if (routes.front() < 0 || !compared.emplace(routes, true).second) continue;
        Route expected;
        std::vector<std::set<topology::ChannelId>> taken;  // [hop]: the channels that messages take
        for (std::size_t copy = 0; copy < by_copy.size(); ++copy) {
          NodeId at = whole.accelerators[index(by_copy[copy])];
          const Route& route = whole.schedule.routes[index(routes[copy])];
          const Route image = route_image(at, route);
          if (copy == 0) expected = image;
          if (image != expected) throw UnlikeCopies("messages take different routes in different copies");
          taken.resize(route.size());
          for (std::size_t hop = 0; hop + 1 < route.size(); ++hop) {
            const topology::ChannelId id = machine_.out_channels(at)[route[hop].out_port];
            if (!taken[hop].insert(id).second) throw UnlikeCopies("messages of two copies share a channel");
            at = machine_.channel(id).dst;
          }
        }
      }
    }
  }
}

// For each entry of copy 0, finds the entry whose message arrives at copy 0 at the same time.
std::vector<ni::ImageArrivals> FoldedCollectives::arrivals_of(const CompiledCollective& whole,
                                                              const CopyPattern& pattern,
                                                              const CompiledCollective& folded,
                                                              const std::vector<Bytes>& boundaries) const {
  std::vector<ni::ImageArrivals> all;
  for (std::size_t role = 0; role < pattern.members.size(); ++role) {
    auto& ports = all.emplace_back();
    const auto& own = folded.schedule.nodes[role].ports;
    for (std::size_t port = 0; port < own.size(); ++port) {
      auto& arrivals = ports.emplace_back(own[port].size());
      for (std::size_t i = 0; i < arrivals.size(); ++i) {
        const int sender = pattern.senders[role][port][i];
        if (sender < 0) continue;
        const int member = pattern.members[role][index(sender)];
        TableEntry& entry = arrivals[i].entry;
        entry = in_quotient(whole.schedule.nodes[index(member)].ports[port][i]);
        entry.route = own[port].stored()[i].route;
        const auto& image = pattern.images[index(sender)];
        arrivals[i].contributors = {image, &image->members};
        arrivals[i].parts = parts_of(own[port].stored()[i], entry, image->segments, boundaries);
      }
    }
  }
  return all;
}

void FoldedCollectives::finish(CompiledCollective& folded) {
  count_messages(folded, quotient_.topology(), framing_of(loaded_.config.system));
  for (std::size_t node = 0; node < folded.schedule.nodes.size(); ++node) {
    for (const auto& port : folded.schedule.nodes[node].ports) {
      port.for_each_route([&](std::int32_t route) {
        routes_.add_route(folded.interfaces[node], folded.schedule.routes[index(route)]);
      });
    }
  }
}

void FoldedCollectives::require_deadlock_free() {
  if (!routes_.find_cycle().empty()) throw UnlikeCopies("the routes of one copy form a cycle");
}

}  // namespace coppice::system
