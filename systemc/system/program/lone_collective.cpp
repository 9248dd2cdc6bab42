#include "system/program/lone_collective.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "schedule/packed_trees/expected_time.h"
#include "system/machine/build.h"
#include "system/machine/protocols.h"
#include "system/output/result.h"

namespace coppice::system {
namespace {

using topology::NodeId;
using workload::CollectiveOp;

std::vector<int> members_of(const config::Loaded& loaded, const topology::Topology& machine) {
  const int accelerators = machine.num_accelerators();
  std::vector<int> members = loaded.config.collective.group;
  if (members.empty()) {
    members.resize(static_cast<std::size_t>(accelerators));
    std::iota(members.begin(), members.end(), 0);
  }
  std::set<int> seen;
  for (const int member : members) {
    if (member >= accelerators) {
      throw ConfigError(
          loaded.place("collective.group"),
          fmt::format("collective.group: accelerator {} does not exist: the accelerators are 0 to {}", member,
                      accelerators - 1));
    }
    if (!seen.insert(member).second) {
      throw ConfigError(loaded.place("collective.group"),
                        fmt::format("collective.group: accelerator {} appears twice", member));
    }
  }
  return members;
}

}  // namespace

workload::Program make_lone_collective(const config::Loaded& loaded) {
  const workload::CollectiveSpec& own = loaded.config.collective;
  workload::Program program;
  program.name = to_string(own.op);
  const topology::Topology machine = build_topology(loaded);
  program.placement = members_of(loaded, machine);
  const auto members = static_cast<int>(program.placement.size());
  workload::RankGroup group{"group", {}};
  for (int rank = 0; rank < members; ++rank) group.ranks.push_back(rank);
  program.groups.push_back(std::move(group));
  workload::GroupCollective collective;
  collective.name = program.name;
  collective.op = own.op;
  collective.bytes = own.size;
  collective.as_configured = own.group.empty() && collective.op != CollectiveOp::kAllToAll;
  if (rooted(own.op)) {
    if (own.group.empty()) require_root(loaded, own, machine);
    const auto root = std::ranges::find(program.placement, own.root);
    if (root == program.placement.end()) {
      throw ConfigError(loaded.place("collective.root"),
                        fmt::format("collective.root: accelerator {} is not in collective.group", own.root));
    }
    collective.root = static_cast<int>(root - program.placement.begin());
  }
  program.collectives.push_back(std::move(collective));
  workload::Operation join;
  join.name = program.name;
  join.work = workload::JoinCollective{0};
  program.ranks.resize(static_cast<std::size_t>(members));
  for (workload::RankProgram& rank : program.ranks) rank.operations = {join};
  return program;
}

GroupBound bound_lone_collective(const config::Loaded& loaded) {
  const workload::Program program = make_lone_collective(loaded);
  const topology::Topology machine = build_topology(loaded);
  if (program.collectives.front().as_configured) {
    // A bound for all accelerators can be computed without routes, which take long to compute on large
    // graphs.
    const workload::CollectiveSpec& spec = loaded.config.collective;
    const Bytes bytes = padded_size(spec, loaded.config.system, machine.num_accelerators());
    const NodeId root = rooted(spec.op) ? spec.root : topology::kNoNode;
    const auto outline = outline_of(tables_of(spec.op), bytes, machine.num_accelerators(), root);
    GroupBound bound{machine.name(), program.placement,
                     find_least_time(loaded.config.system, machine, outline)};
    bound.bandwidth_ns = bound.least.bandwidth.ns();
    return bound;
  }
  const auto routing = build_routing(loaded, machine);
  CompiledCollectives compiler(loaded, machine, *routing);
  return compiler.bound(program.collectives.front(), program.placement);
}

LoneSchedule schedule_lone_collective(const config::Loaded& loaded) {
  const workload::Program program = make_lone_collective(loaded);
  const topology::Topology machine = build_topology(loaded);
  const auto routing = build_routing(loaded, machine);
  CompiledCollectives compiler(loaded, machine, *routing);
  CompiledCollective compiled = compiler.unplaced(program.collectives.front(), program.placement);
  topology::Topology network = compiler.network(program.placement).topology();
  const schedule::NiOverhead overhead = ni_overhead(loaded.config.system, network, compiled.schedule);
  return {std::move(network), std::move(compiled), overhead};
}

LoneEstimate estimate_lone_collective(const config::Loaded& loaded) {
  const LoneSchedule lone = schedule_lone_collective(loaded);
  const schedule::Schedule& tables = lone.compiled.schedule;
  const config::SystemConfig& system = loaded.config.system;
  schedule::CompileRequest request;
  request.timing = step_timing(system, tables.protocol);
  const Femtoseconds time =
      launch_of(system, tables) + schedule::expected_time(lone.network, request, tables);
  const GroupBound bound = bound_lone_collective(loaded);
  LoneEstimate estimate;
  estimate.algorithm = tables.algorithm;
  if (!lone.compiled.expected.empty()) estimate.chosen = lone.compiled.expected.front().algorithm;
  estimate.time_ns = static_cast<double>(time) / static_cast<double>(kFemtosecondsPerNanosecond);
  estimate.bound_ns = std::max(bound.bandwidth_ns, bound.least.latency_ns);
  estimate.efficiency = estimate.time_ns > 0 ? std::min(estimate.bound_ns / estimate.time_ns, 1.0) : 1;
  const auto members = static_cast<int>(lone.compiled.accelerators.size());
  if (estimate.time_ns > 0) {
    estimate.algbw_gb_s = static_cast<double>(loaded.config.collective.size) / estimate.time_ns;
  }
  estimate.busbw_gb_s = estimate.algbw_gb_s * bus_factor(lone.compiled.op, members);
  estimate.table_bytes = lone.overhead.folded ? lone.overhead.folded->table_bytes : lone.overhead.table_bytes;
  return estimate;
}

}  // namespace coppice::system
