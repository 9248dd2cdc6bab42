#include "system/program/lone_collective.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "system/machine/build.h"
#include "system/output/result.h"

namespace coppice::system {
namespace {

using topology::NodeId;
using workload::CollectiveOp;

std::vector<int> members_of(const config::Loaded& loaded) {
  const int accelerators = build_topology(loaded).num_accelerators();
  std::vector<int> members = loaded.config.collective.group;
  if (members.empty()) {
    members.resize(static_cast<std::size_t>(accelerators));
    std::iota(members.begin(), members.end(), 0);
  }
  std::set<int> seen;
  for (const int member : members) {
    if (member >= accelerators) {
      throw ConfigError(loaded.place("collective.group"),
                        fmt::format("collective.group: there is no accelerator {}; there are 0 to {}", member,
                                    accelerators - 1));
    }
    if (!seen.insert(member).second) {
      throw ConfigError(loaded.place("collective.group"),
                        fmt::format("collective.group: accelerator {} is there twice", member));
    }
  }
  return members;
}

CollectiveOp parse_op(const std::string& name) {
  using enum CollectiveOp;
  for (const CollectiveOp op : {kReduceScatter, kAllGather, kBroadcast, kReduce, kAllToAll}) {
    if (name == workload::to_string(op)) return op;
  }
  return kAllReduce;
}

}  // namespace

workload::Program make_lone_collective(const config::Loaded& loaded) {
  const config::CollectiveConfig& own = loaded.config.collective;
  workload::Program program;
  program.name = own.op;
  program.placement = members_of(loaded);
  const auto members = static_cast<int>(program.placement.size());
  workload::RankGroup group{"group", {}};
  for (int rank = 0; rank < members; ++rank) group.ranks.push_back(rank);
  program.groups.push_back(std::move(group));
  workload::GroupCollective collective;
  collective.name = own.op;
  collective.op = parse_op(own.op);
  collective.bytes = own.size;
  if (has_root(own)) {
    const auto root = std::ranges::find(program.placement, own.root);
    if (root == program.placement.end()) {
      throw ConfigError(loaded.place("collective.root"),
                        fmt::format("collective.root: accelerator {} is not in collective.group", own.root));
    }
    collective.root = static_cast<int>(root - program.placement.begin());
  }
  program.collectives.push_back(std::move(collective));
  workload::Operation join;
  join.name = own.op;
  join.work = workload::JoinCollective{0};
  program.ranks.resize(static_cast<std::size_t>(members));
  for (workload::RankProgram& rank : program.ranks) rank.operations = {join};
  return program;
}

GroupBound bound_lone_collective(const config::Loaded& loaded) {
  const workload::Program program = make_lone_collective(loaded);
  const topology::Topology machine = build_topology(loaded);
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

void add_collective_fields(nlohmann::ordered_json& result, const CompiledCollective& compiled, Bytes size) {
  const double time_ns = result.at("time_ns").get<double>();
  const double bandwidth = time_ns > 0 ? static_cast<double>(size) / time_ns : 0;
  const auto members = static_cast<int>(compiled.accelerators.size());
  const bool all_to_all = compiled.op == CollectiveOp::kAllToAll;
  result["contention_free"] =
      compiled.report.contention_free && result.at("fidelity") == "train" && !result.contains("trains");
  result["steps"] = compiled.schedule.steps;
  result["algbw_gb_s"] = bandwidth;
  result["busbw_gb_s"] = bandwidth * (all_to_all ? static_cast<double>(members - 1) / members
                                                 : bus_factor(compiled.schedule, members));
  auto groups = nlohmann::ordered_json::array();
  for (const auto& group : compiled.least.bandwidth.groups) {
    auto list = nlohmann::ordered_json::array();
    for (const NodeId member : group) list.push_back(compiled.accelerators[static_cast<std::size_t>(member)]);
    groups.push_back(std::move(list));
  }
  result["bound"] = {
      {"time_ns", compiled.bandwidth_ns}, {"latency_ns", compiled.least.latency_ns}, {"groups", groups}};
  result["efficiency"] = time_ns > 0 ? compiled.least_ns / time_ns : 1.0;
  write_choice(compiled.expected, result);
}

}  // namespace coppice::system
