#include "system/build.h"

#include <algorithm>
#include <functional>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/error.h"
#include "schedule/compiler.h"
#include "topology/builders.h"
#include "topology/deadlock.h"
#include "topology/graph_file.h"

namespace coppice::system {
namespace {

// Runs `build` and says at `key` what it refuses.
template <typename Build>
auto at_key(const config::Loaded& loaded, const std::string& key, Build build) {
  try {
    return build();
  } catch (const UnsupportedError& error) {
    throw ConfigError(loaded.place(key), fmt::format("{}: {}", key, error.what()));
  }
}

template <typename Value>
const Value& of_level(const std::vector<Value>& values, std::size_t level) {
  return values.size() == 1 ? values.front() : values.at(level);
}

void require_acyclic(const config::Loaded& loaded, const topology::ChannelDependencyGraph& graph,
                     const std::string& what) {
  const auto cycle = graph.find_cycle();
  if (cycle.empty()) return;
  throw ConfigError(
      loaded.place("system.router.vcs"),
      fmt::format("{} can deadlock with {} virtual channels: each of these waits for the next, the "
                  "last for the first: {}; raise system.router.vcs",
                  what, loaded.config.system.router.vcs, graph.describe(cycle)));
}

// The source routes that the tables use, each from where it starts.
void require_routes_deadlock_free(const config::Loaded& loaded, const topology::Topology& topology,
                                  const schedule::Schedule& schedule) {
  topology::ChannelDependencyGraph graph(topology, loaded.config.system.router.vcs);
  std::set<std::pair<topology::NodeId, std::int32_t>> added;
  for (std::size_t node = 0; node < schedule.nodes.size(); ++node) {
    for (const auto& port : schedule.nodes[node].ports) {
      for (const schedule::TableEntry& entry : port) {
        const auto src = static_cast<topology::NodeId>(node);
        if (entry.route < 0 || !added.emplace(src, entry.route).second) continue;
        graph.add_route(src, schedule.routes.at(static_cast<std::size_t>(entry.route)));
      }
    }
  }
  require_acyclic(loaded, graph, fmt::format("the schedule '{}' on {}", schedule.algorithm, topology.name()));
}

}  // namespace

topology::Topology build_topology(const config::Loaded& loaded) {
  const config::SystemConfig& system = loaded.config.system;
  const topology::Kind kind = *topology::parse_kind(system.topology.kind);
  if (kind == topology::Kind::kFile) {
    return at_key(loaded, "system.topology.file", [&] {
      return topology::read_graph_file(
                 system.topology.file,
                 {system.link.bandwidth.front(), system.link.latency.front(), system.clock.period()})
          .topology;
    });
  }
  std::vector<topology::LinkSpec> links;
  for (std::size_t level = 0; level < topology::num_link_levels(kind, system.topology.dims); ++level) {
    links.push_back({of_level(system.link.bandwidth, level), of_level(system.link.latency, level)});
  }
  return at_key(loaded, "system.topology.dims",
                [&] { return topology::make_topology(kind, system.topology.dims, links); });
}

std::unique_ptr<topology::RoutingFunction> build_routing(const config::Loaded& loaded,
                                                         const topology::Topology& topology) {
  return at_key(loaded, "system.router.vcs",
                [&] { return topology::make_routing(topology, loaded.config.system.router.vcs); });
}

int resolve_ni_ports(const config::Config& config, const topology::Topology& topology) {
  if (config.system.ni.ports > 0) return config.system.ni.ports;
  std::size_t ports = 1;
  for (topology::NodeId node = 0; node < topology.num_accelerators(); ++node) {
    ports = std::max(ports, topology.out_channels(node).size());
  }
  return static_cast<int>(ports);
}

topology::Collective parse_collective(const std::string& op) {
  if (op == "all_reduce") return topology::Collective::kAllReduce;
  if (op == "reduce_scatter") return topology::Collective::kReduceScatter;
  if (op == "all_gather") return topology::Collective::kAllGather;
  throw std::invalid_argument(
      fmt::format("'{}' is no collective: all_reduce, reduce_scatter and all_gather are", op));
}

namespace {

// Every accelerator owns a part of the data.
void require_enough_elements(const config::Loaded& loaded, const topology::Topology& topology,
                             const schedule::CompileRequest& request) {
  const Bytes least = topology.num_accelerators() * request.element;
  if (request.size >= least) return;
  throw ConfigError(
      loaded.place("collective.size"),
      fmt::format("collective.size of {} is less than an element of {} for each of {} accelerators: "
                  "{} at least",
                  format_bytes(request.size), format_bytes(request.element), topology.num_accelerators(),
                  format_bytes(least)));
}

}  // namespace

CheckedSchedule build_schedule(const config::Loaded& loaded, const topology::Topology& topology,
                               const topology::RoutingFunction& routing) {
  const config::CollectiveConfig& collective = loaded.config.collective;
  const auto compiler = schedule::make_compiler(collective.algorithm);
  if (!compiler) {
    throw ConfigError(loaded.place("collective.algorithm"),
                      fmt::format("collective.algorithm: there is no algorithm '{}'", collective.algorithm));
  }
  schedule::CompileRequest request;
  request.collective = parse_collective(collective.op);
  request.size = collective.size;
  request.ni_ports = resolve_ni_ports(loaded.config, topology);
  request.routing = &routing;
  require_enough_elements(loaded, topology, request);

  CheckedSchedule result;
  result.schedule =
      at_key(loaded, "collective.algorithm", [&] { return compiler->compile(topology, request); });
  try {
    result.report = schedule::check_schedule(topology, result.schedule);
  } catch (const schedule::ScheduleError& error) {
    throw ModelError(fmt::format("the schedule that '{}' compiled fails the check: {}", collective.algorithm,
                                 error.what()));
  }
  if (result.schedule.ordered_by_lockstep && !loaded.config.system.ni.lockstep) {
    throw ConfigError(loaded.place("system.ni.lockstep"),
                      fmt::format("the schedule of '{}' relies on the order that the lockstep keeps: "
                                  "system.ni.lockstep must be true",
                                  collective.algorithm));
  }
  require_routes_deadlock_free(loaded, topology, result.schedule);
  return result;
}

void require_deadlock_free(const config::Loaded& loaded, const topology::Topology& topology,
                           const topology::RoutingFunction& routing) {
  topology::ChannelDependencyGraph graph(topology, routing.num_vcs());
  graph.add_all_pairs(routing);
  require_acyclic(loaded, graph, "routing on " + topology.name());
}

}  // namespace coppice::system
