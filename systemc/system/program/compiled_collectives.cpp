#include "system/program/compiled_collectives.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.h"
#include "base/index.h"
#include "base/time_limit.h"
#include "fabric/route_timing.h"
#include "routing/all_to_all_bound.h"
#include "schedule/registry.h"
#include "system/machine/build.h"
#include "system/machine/protocols.h"
#include "system/program/all_to_all.h"

namespace coppice::system {
namespace {

using topology::NodeId;
using workload::CollectiveOp;

using workload::kElementBytes;

// Rounds up to a whole number of elements, and to at least one element per member.
Bytes padded(Bytes bytes, std::size_t members) {
  return padded_size(bytes, static_cast<Bytes>(members) * kElementBytes);
}

// The settings of a program's collective on a group's network. The algorithm is the configured one if it is
// applicable, otherwise a default. A barrier is executed as the smallest possible all-reduce.
workload::CollectiveSpec spec_for(const config::Config& config, CollectiveOp op, Bytes bytes, NodeId root,
                                  const GroupNetwork& network) {
  workload::CollectiveSpec spec = config.collective;
  spec.op = op == CollectiveOp::kBarrier ? CollectiveOp::kAllReduce : op;
  spec.size = bytes;
  spec.root = std::max(root, 0);
  spec.group.clear();
  const auto chosen = config.program.collectives.find(spec.op);
  if (chosen != config.program.collectives.end()) {
    if (!chosen->second.algorithm.empty()) spec.algorithm = chosen->second.algorithm;
    if (chosen->second.chunks != 0) spec.chunks = chosen->second.chunks;
  }
  // Each chunk must have at least two elements per member, so limit the number of chunks.
  const auto members = static_cast<Bytes>(network.accelerators().size());
  if (spec.chunks > 1) {
    spec.chunks = static_cast<int>(std::clamp<Bytes>(bytes / (2 * kElementBytes * members), 1, spec.chunks));
  }
  // A rooted collective needs an algorithm that has a tree with any given root.
  const schedule::AlgorithmInfo* const info = schedule::find_algorithm(spec.algorithm);
  const bool unfit = info != nullptr && info->over_dimensions && network.topology().dimension_kinds().empty();
  if (spec.algorithm.empty() || unfit || (rooted(op) && (info == nullptr || !info->rooted))) {
    const bool routed = network.kind() == GroupNetwork::Kind::kRouted;
    spec.algorithm = rooted(op) ? "multitree" : routed ? "ring" : "auto";
  }
  return spec;
}

std::string bound_network(const GroupNetwork& network, const topology::Topology& machine) {
  const std::string name = network.topology().name();
  switch (network.kind()) {
    case GroupNetwork::Kind::kWhole:
      return name;
    case GroupNetwork::Kind::kRouted:
      return fmt::format("the links between the members in {}", machine.name());
    default:
      return fmt::format("{}, the group's part of {}", name, machine.name());
  }
}

void take(CompiledCollective& compiled, GroupBound bound) {
  compiled.least = std::move(bound.least);
  compiled.bandwidth_ns = bound.bandwidth_ns;
  compiled.least_ns = std::max(bound.bandwidth_ns, compiled.least.latency_ns);
}

}  // namespace

CompiledCollectives::CompiledCollectives(const config::Loaded& loaded, const topology::Topology& machine,
                                         const topology::RoutingFunction& routing,
                                         const CompileOptions& options)
    : loaded_(loaded),
      machine_(machine),
      routing_(routing),
      options_(options),
      ni_ports_(resolve_ni_ports(loaded.config, machine)),
      like_(loaded, machine, routing, ni_ports_),
      framing_(framing_of(loaded.config.system)),
      routes_(machine, loaded.config.system.router.vcs) {}

Bytes CompiledCollectives::bytes_of(const workload::GroupCollective& collective, std::size_t members) const {
  if (!collective.as_configured) return padded(collective.bytes, members);
  return padded_size(loaded_.config.collective, loaded_.config.system, static_cast<int>(members));
}

const GroupNetwork& CompiledCollectives::network(const Members& accelerators) {
  auto& known = networks_[accelerators];
  if (known == nullptr) {
    known = std::make_unique<GroupNetwork>(loaded_, machine_, routing_, accelerators, options_.ways,
                                           like_.likeness());
  }
  return *known;
}

const CompiledCollective* CompiledCollectives::compiled_collective(const workload::Program& program,
                                                                   std::int32_t number) {
  const workload::GroupCollective& called = program.collectives[index(number)];
  const auto& group = program.groups[index(called.group)].ranks;
  if (group.size() < 2 && !called.as_configured) return nullptr;
  Members accelerators;
  for (const int rank : group) accelerators.push_back(workload::accelerator_of(program, rank));
  return &collective(called, accelerators);
}

const CompiledCollective* CompiledCollectives::compiled_transfer(const workload::Program& program,
                                                                 std::int32_t number) {
  const workload::Transfer& sent = program.transfers[index(number)];
  return &transfer(workload::accelerator_of(program, sent.source),
                   workload::accelerator_of(program, sent.destination), sent.bytes);
}

const CompiledCollective& CompiledCollectives::collective(const workload::GroupCollective& collective,
                                                          const Members& accelerators) {
  const NodeId root = rooted(collective.op) ? accelerators[static_cast<std::size_t>(collective.root)] : -1;
  const Bytes bytes = bytes_of(collective, accelerators.size());
  auto& known = compiled_[{accelerators, collective.op, bytes, root}];
  if (known != nullptr) return *known;
  known = std::make_unique<CompiledCollective>(placed(collective, accelerators));
  if (!options_.alone) add_routes(*known);
  return *known;
}

CompiledCollective CompiledCollectives::placed(const workload::GroupCollective& collective,
                                               const Members& accelerators) {
  const NodeId root = rooted(collective.op) ? accelerators[static_cast<std::size_t>(collective.root)] : -1;
  const Bytes bytes = bytes_of(collective, accelerators.size());
  CompiledCollective made;
  const GroupNetwork& own = network(accelerators);
  const NodeId member = root < 0 ? root : own.member(root);
  if (own.kind() == GroupNetwork::Kind::kWhole) {
    made = compile(collective, own, member, bytes);
    take(made, bound(made.op, made.schedule, own, bytes));
  } else {
    const auto key = std::make_tuple(own.shape(), collective.op, bytes, member);
    auto shape = shapes_.find(key);
    if (shape == shapes_.end()) {
      shape = shapes_.emplace(key, compile(collective, own, member, bytes)).first;
      // Routed groups of equal shape may have different links, so each needs its own bounds.
      if (own.kind() != GroupNetwork::Kind::kRouted) {
        take(shape->second, bound(collective.op, shape->second.schedule, own, bytes));
      }
    }
    made = shape->second;
  }
  made.accelerators = own.accelerators();
  if (own.kind() == GroupNetwork::Kind::kRouted) take(made, bound(made.op, made.schedule, own, bytes));
  made.schedule = own.place(std::move(made.schedule), ni_ports_);
  made.interfaces = made.accelerators;
  // In a group of all accelerators, members have the same numbers as on the machine, and so do reducing
  // switches.
  for (auto node = index(machine_.num_accelerators()); node < made.schedule.nodes.size(); ++node) {
    made.interfaces.push_back(static_cast<NodeId>(node));
  }
  if (options_.alone) {
    count_roughly(made);
  } else {
    count_messages(made, machine_, framing_);
  }
  return made;
}

CompiledCollective CompiledCollectives::unplaced(const workload::GroupCollective& collective,
                                                 const Members& accelerators) {
  const GroupNetwork& own = network(accelerators);
  const NodeId root =
      rooted(collective.op) ? own.member(accelerators[static_cast<std::size_t>(collective.root)]) : -1;
  CompiledCollective compiled = compile(collective, own, root, bytes_of(collective, accelerators.size()));
  compiled.accelerators = own.accelerators();
  return compiled;
}

CompiledCollective CompiledCollectives::compile(const workload::GroupCollective& collective,
                                                const GroupNetwork& network, NodeId root, Bytes bytes) {
  CompiledCollective compiled;
  compiled.op = collective.op;
  CheckedSchedule checked = build(collective, network, root, bytes);
  if (checked.schedule.ordered_by_lockstep) {
    compiled.late =
        checked.report.contention_free
            ? "messages of the same timestep differ in length or wait for credits"
            : fmt::format("messages share {}", to_string(network.topology(), checked.report.shared.front()));
  }
  compiled.schedule = std::move(checked.schedule);
  compiled.report = std::move(checked.report);
  compiled.expected = std::move(checked.expected);
  return compiled;
}

CheckedSchedule CompiledCollectives::build(const workload::GroupCollective& collective,
                                           const GroupNetwork& network, NodeId root, Bytes bytes) const {
  if (collective.op == CollectiveOp::kAllToAll) {
    return compile_all_to_all(loaded_, network.topology(), network.routing(), bytes);
  }
  const auto& pattern = options_.pattern_beyond;
  if (collective.as_configured) {
    return build_schedule(loaded_, loaded_.config.collective, network.topology(), network.routing(), pattern);
  }
  try {
    return build_schedule(loaded_, spec_for(loaded_.config, collective.op, bytes, root, network),
                          network.topology(), network.routing(), pattern);
  } catch (const ConfigError& error) {
    throw ConfigError(error.where(), fmt::format("collective '{}' among accelerators {}: {}", collective.name,
                                                 fmt::join(network.accelerators(), ", "), error.what()));
  }
}

// A star that consists of the links at a routed group's members and ignores the network between them. Traffic
// of other accelerators may also use these links, but a lower bound need not consider it.
topology::Topology CompiledCollectives::own_links(const Members& accelerators) const {
  const auto members = static_cast<NodeId>(accelerators.size());
  topology::Topology star(topology::Kind::kFile, {}, members, 1);
  for (NodeId member = 0; member < members; ++member) {
    const NodeId there = accelerators[index(member)];
    for (const topology::ChannelId id : machine_.out_channels(there)) {
      star.add_channel(member, members, machine_.channel(id).bandwidth, 0);
    }
    for (const topology::ChannelId id : machine_.in_channels(there)) {
      star.add_channel(members, member, machine_.channel(id).bandwidth, 0);
    }
  }
  return star;
}

GroupBound CompiledCollectives::bound(CollectiveOp op, const schedule::Schedule& schedule,
                                      const GroupNetwork& network, Bytes bytes) const {
  const bool routed = network.kind() == GroupNetwork::Kind::kRouted;
  GroupBound bound{bound_network(network, machine_), network.accelerators(), {}};
  std::optional<topology::Topology> star;
  if (routed) star = own_links(bound.accelerators);
  const topology::Topology& topology = star ? *star : network.topology();
  if (op == CollectiveOp::kAllToAll) {
    auto least = routing::least_all_to_all(topology, all_to_all_block(bytes, topology.num_accelerators()));
    bound.bandwidth_ns = least.ns;
    bound.least.bandwidth.groups = std::move(least.groups);
    bound.lengths = std::move(least.lengths);
    const Femtoseconds latency =
        least_latency(loaded_.config.system, topology, schedule) * loaded_.config.system.clock.period();
    bound.least.latency_ns = static_cast<double>(latency) / static_cast<double>(kFemtosecondsPerNanosecond);
  } else {
    bound.least = find_least_time(loaded_.config.system, topology, schedule);
    bound.bandwidth_ns = bound.least.bandwidth.ns();
  }
  if (routed) bound.least.latency_ns = 0;  // the star does not have the machine's path lengths
  return bound;
}

GroupBound CompiledCollectives::bound(const workload::GroupCollective& collective,
                                      const Members& accelerators) {
  const GroupNetwork& own = network(accelerators);
  const Bytes bytes = bytes_of(collective, accelerators.size());
  const NodeId root = rooted(collective.op) ? own.member(accelerators[index(collective.root)]) : -1;
  const auto outline = outline_of(tables_of(collective.op), bytes, own.topology().num_accelerators(), root);
  return bound(collective.op, outline, own, bytes);
}

// The protocol with the shortest expected time for a single message.
std::optional<schedule::Protocol> CompiledCollectives::transfer_protocol(Femtoseconds flit,
                                                                         Bytes bytes) const {
  const config::SystemConfig& system = loaded_.config.system;
  std::optional<schedule::Protocol> best;
  Femtoseconds fastest = 0;
  for (const ProtocolChoice& choice : protocol_choices(system, {"send", bytes, 2})) {
    if (!choice.protocol || !choice.serves("send")) continue;
    const schedule::Protocol& protocol = *choice.protocol;
    const std::int64_t flits = framing_.flits(schedule::sent_bytes(bytes, protocol.efficiency));
    const Femtoseconds time = protocol.launch + protocol.setup + checked_time(flits, flit);
    if (best && time >= fastest) continue;
    best = protocol;
    fastest = time;
  }
  return best;
}

// A transfer is compiled as an all-gather that consists of one message.
const CompiledCollective& CompiledCollectives::transfer(NodeId source, NodeId destination, Bytes bytes) {
  const Bytes whole = padded(bytes, 1);
  auto& known = transfers_[{source, destination, whole}];
  if (known != nullptr) return *known;
  known = std::make_unique<CompiledCollective>();
  known->op = CollectiveOp::kBroadcast;
  known->accelerators = {source, destination};
  known->interfaces = known->accelerators;
  schedule::Schedule& schedule = known->schedule;
  schedule.algorithm = "send";
  schedule.collective = topology::Collective::kAllGather;
  schedule.size = whole;
  schedule.steps = 1;
  schedule.flows = 1;
  schedule.shares = {{{0, whole}, 0}};
  schedule.routes = {topology::machine_route(machine_, routing_, source, destination, ni_ports_)};
  known->timing = fabric::time_route(machine_, loaded_.config.system, source, schedule.routes.front());
  schedule.nodes.resize(2);
  for (auto& node : schedule.nodes) node.ports.resize(static_cast<std::size_t>(ni_ports_));
  schedule::TableEntry entry;
  entry.op = schedule::Op::kGather;
  entry.flow = 0;
  entry.children = {destination};
  entry.step = 1;
  entry.bytes = whole;
  entry.route = 0;
  const std::size_t port = schedule.routes.front().front().out_port;
  schedule.nodes.front().ports[port % schedule.nodes.front().ports.size()].push_back(std::move(entry));
  known->report.additions = {0};
  schedule.protocol = transfer_protocol(known->timing->slowest_flit, whole);
  count_messages(*known, machine_, framing_);
  if (sent_.emplace(source, destination).second) add_routes(*known);
  return *known;
}

fabric::Framing framing_of(const config::SystemConfig& system) {
  return {system.ni.flow_control, system.flit, system.ni.payload};
}

void count_messages(CompiledCollective& compiled, const topology::Topology& machine,
                    const fabric::Framing& framing) {
  std::vector<std::int32_t> member(index(machine.num_nodes()), -1);
  for (std::size_t i = 0; i < compiled.interfaces.size(); ++i) {
    member[index(compiled.interfaces[i])] = static_cast<std::int32_t>(i);
  }
  compiled.arrivals.assign(compiled.interfaces.size(), 0);
  compiled.entries.assign(compiled.interfaces.size(), 0);
  compiled.messages = 0;
  compiled.flit_hops = 0;
  const auto& routes = compiled.schedule.routes;
  for (std::size_t node = 0; node < compiled.schedule.nodes.size(); ++node) {
    for (const auto& port : compiled.schedule.nodes[node].ports) {
      compiled.entries[node] += static_cast<std::int64_t>(port.size());
      port.for_each_entry([&](const schedule::TableEntry& entry) {
        if (entry.op == schedule::Op::kNop) return;
        ++compiled.messages;
        compiled.flit_hops += static_cast<double>(framing.flits(entry.bytes)) *
                              static_cast<double>(routes[static_cast<std::size_t>(entry.route)].size());
        ++compiled.arrivals[static_cast<std::size_t>(member[index(entry.destination())])];
      });
    }
  }
}

// Counts messages, and replaces the number of flit-hops by a lower bound, in which each accelerator receives
// all data once, over one hop.
void CompiledCollectives::count_roughly(CompiledCollective& compiled) const {
  for (const schedule::NodeTables& node : compiled.schedule.nodes) {
    for (const schedule::Table& port : node.ports) compiled.messages += port.messages();
  }
  compiled.flit_hops = static_cast<double>(compiled.schedule.size) / static_cast<double>(framing_.flit) *
                       static_cast<double>(compiled.accelerators.size());
}

void CompiledCollectives::add_routes(const CompiledCollective& compiled) {
  proven_ = false;
  for (std::size_t node = 0; node < compiled.schedule.nodes.size(); ++node) {
    std::vector<std::uint8_t> added(compiled.schedule.routes.size(), 0);
    for (const auto& port : compiled.schedule.nodes[node].ports) {
      port.for_each_route([&](std::int32_t route) {
        const auto r = static_cast<std::size_t>(route);
        if (std::exchange(added[r], std::uint8_t{1}) != 0) return;
        routes_.add_route(compiled.interfaces[node], compiled.schedule.routes[r]);
      });
    }
  }
}

void CompiledCollectives::require_deadlock_free() {
  if (proven_) return;
  const auto cycle = routes_.find_cycle();
  proven_ = cycle.empty();
  if (proven_) return;
  throw ConfigError(
      loaded_.place("system.router.vcs"),
      fmt::format("the messages of the program can deadlock with {} virtual channels, since each channel of "
                  "this cycle can wait for the next: {}; raise system.router.vcs",
                  loaded_.config.system.router.vcs, routes_.describe(cycle)));
}

}  // namespace coppice::system
