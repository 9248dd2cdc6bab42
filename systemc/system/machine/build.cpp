#include "system/machine/build.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.h"
#include "base/machine_memory.h"
#include "base/time_limit.h"
#include "base/usable_bandwidth.h"
#include "config/files/file_kind.h"
#include "config/files/network_file.h"
#include "config/keys/dimensions.h"
#include "config/schema.h"
#include "config/settings/link_limits.h"
#include "config/settings/shape.h"
#include "fabric/framing.h"
#include "schedule/compile/spread.h"
#include "schedule/files/msccl_file.h"
#include "schedule/files/mscclpp_file.h"
#include "schedule/files/schedule_file.h"
#include "schedule/files/tacos_file.h"
#include "schedule/packed_trees/expected_time.h"
#include "schedule/registry.h"
#include "system/machine/like_network.h"
#include "system/machine/protocols.h"
#include "topology/networks/clos.h"
#include "topology/networks/hierarchy.h"
#include "topology/networks/kinds.h"
#include "topology/routing/deadlock.h"
#include "workload/layer.h"

namespace coppice::system {
namespace {

using workload::CollectiveSpec;

// Calls `build`; rethrows an UnsupportedError or std::bad_alloc as a ConfigError at `key`.
template <typename Build>
auto at_key(const config::Loaded& loaded, const std::string& key, Build build) {
  const Bytes available = machine_memory();
  try {
    return build();
  } catch (const TimeLimitError&) {
    throw;  // caused by the amount of data, not by this key
  } catch (const UnsupportedError& error) {
    throw ConfigError(loaded.place(key), fmt::format("{}: {}", key, error.what()));
  } catch (const std::bad_alloc&) {
    throw ConfigError(loaded.place(key),
                      fmt::format("{}: not enough memory ({:.1f} GB available): use fewer accelerators", key,
                                  static_cast<double>(available) / 1e9));
  }
}

void require_acyclic(const config::Loaded& loaded, const topology::ChannelDependencyGraph& graph,
                     const std::string& what) {
  const auto cycle = graph.find_cycle();
  if (cycle.empty()) return;
  throw ConfigError(loaded.place("system.router.vcs"),
                    fmt::format("{} can deadlock with {} virtual channels, since each channel of this cycle "
                                "can wait for the next: {}; raise system.router.vcs",
                                what, loaded.config.system.router.vcs, graph.describe(cycle)));
}

void require_routes_deadlock_free(const config::Loaded& loaded, const topology::Topology& topology,
                                  const schedule::Schedule& schedule) {
  topology::ChannelDependencyGraph graph(topology, loaded.config.system.router.vcs);
  std::vector<topology::NodeId> last_source(schedule.routes.size(), topology::kNoNode);
  for (std::size_t node = 0; node < schedule.nodes.size(); ++node) {
    const auto src = static_cast<topology::NodeId>(node);
    for (const auto& port : schedule.nodes[node].ports) {
      port.for_each_route([&](std::int32_t index) {
        const auto route = static_cast<std::size_t>(index);
        if (std::exchange(last_source.at(route), src) == src) return;
        graph.add_route(src, schedule.routes[route]);
      });
    }
  }
  require_acyclic(loaded, graph, fmt::format("the schedule '{}' on {}", schedule.algorithm, topology.name()));
}

void require_rooted_algorithm(const config::Loaded& loaded, const CollectiveSpec& spec,
                              const schedule::AlgorithmInfo& algorithm) {
  if (algorithm.rooted) return;
  const auto rooted = schedule::algorithms_that([](const auto& info) { return info.rooted; });
  throw ConfigError(loaded.place("collective.algorithm"),
                    fmt::format("collective.algorithm: {} has no rooted tree for {}: write {}",
                                spec.algorithm, to_string(spec.op), fmt::join(rooted, " or ")));
}

// Throws if the network has reducing switches but the algorithm cannot use them. Only algorithms that move
// chunks through dimensions can.
void require_adders_used(const config::Loaded& loaded, const schedule::AlgorithmInfo& algorithm,
                         const topology::Topology& topology) {
  if (topology.in_network().empty() || algorithm.over_dimensions || algorithm.chooses_algorithm) return;
  const auto adds = std::ranges::find(topology.in_network(), true) - topology.in_network().begin();
  const std::string key = fmt::format("system.topology.dimensions[{}].in_network", adds);
  const std::string able = fmt::format("{}", fmt::join(config::algorithms_over_dimensions(), " or "));
  throw ConfigError(loaded.place(key),
                    fmt::format("{0}: collective.algorithm: {2} cannot reduce in the network: leave {0} out, "
                                "or write collective.algorithm: {1}",
                                key, able, algorithm.name));
}

Femtoseconds message_setup(const config::SystemConfig& system,
                           const std::optional<schedule::Protocol>& protocol) {
  return protocol ? protocol->setup : system.ni.message_setup;
}

// The request that is passed to every schedule compiler and reader.
schedule::CompileRequest request_of(const config::Config& config, const CollectiveSpec& spec,
                                    const topology::Topology& topology,
                                    const topology::RoutingFunction& routing,
                                    const std::optional<schedule::Protocol>& protocol = {}) {
  const config::SystemConfig& system = config.system;
  schedule::CompileRequest request;
  request.collective = tables_of(spec.op);
  request.size = padded_size(spec, system, topology.num_accelerators());
  request.chunks = spec.chunks;
  request.ni_ports = resolve_ni_ports(config, topology);
  request.routing = &routing;
  request.trees = spec.trees;
  request.planes = spec.planes;
  request.step_latency = step_latency(system, topology, protocol);
  // The gap between two messages of a port is the time to set up the second message and to send its head
  // flit.
  request.message_gap = message_setup(system, protocol) + (system.ni.dma_latency + 1) * system.clock.period();
  return request;
}

// The algorithms among which `algorithm` chooses, restricted to those that may use the chosen protocol.
std::vector<schedule::AlgorithmInfo> candidates_of(const std::string& algorithm,
                                                   const ProtocolChoice& choice) {
  const std::vector<std::string> among = schedule::chosen_among(algorithm);
  std::vector<schedule::AlgorithmInfo> candidates;
  for (const schedule::AlgorithmInfo& info : schedule::algorithms()) {
    const bool named = std::ranges::find(among, info.name) != among.end();
    if (!choice.serves(info.name) || (!among.empty() && !named)) continue;
    candidates.push_back(info);
    if (!named) continue;
    candidates.back().trials = {{.chunks = schedule::kAutomaticChunks}};
  }
  return candidates;
}

TimedSchedule compile_schedule(const config::Loaded& loaded, const CollectiveSpec& spec,
                               const topology::Topology& topology, const topology::RoutingFunction& routing,
                               std::optional<int> pattern_beyond, const ProtocolChoice& choice, bool timed) {
  const schedule::AlgorithmInfo* const algorithm = schedule::find_algorithm(spec.algorithm);
  if (algorithm == nullptr || algorithm->make == nullptr) {
    throw ConfigError(loaded.place("collective.algorithm"),
                      fmt::format("collective.algorithm: unknown algorithm '{}'", spec.algorithm));
  }
  const LikeNetwork like(loaded, topology, routing, resolve_ni_ports(loaded.config, topology));
  schedule::CompileRequest request =
      request_of(loaded.config, spec, like.topology(), like.routing(), choice.protocol);
  if (pattern_beyond) request.pattern_beyond = *pattern_beyond;
  // Tables must be stored entry by entry for the Verilog network interface, and for graph files, since the
  // entries are renumbered.
  if (loaded.config.system.ni.impl == config::Implementation::kRtl || like.likeness() != nullptr) {
    request.pattern_beyond = std::numeric_limits<int>::max();
  }
  require_adders_used(loaded, *algorithm, topology);
  request.chunk_policy = spec.chunk_policy;
  request.timing = step_timing(loaded.config.system, choice.protocol);
  if (rooted(spec.op)) {
    require_root(loaded, spec, topology);
    require_rooted_algorithm(loaded, spec, *algorithm);
    request.root = like.member(spec.root);
  }
  if (!algorithm->chooses_algorithm) {
    TimedSchedule compiled{.schedule = schedule::compile_spread(*algorithm, like.topology(), request)};
    if (timed) compiled.time = schedule::expected_time(like.topology(), request, compiled.schedule);
    compiled.schedule = like.adopt(std::move(compiled.schedule));
    return compiled;
  }
  auto chosen = schedule::choose_algorithm(like.topology(), request, candidates_of(spec.algorithm, choice));
  const Femtoseconds time = chosen.expected.front().time;
  return {like.adopt(std::move(chosen.schedule)), std::move(chosen.expected), time};
}

// Compiles with the protocol that gives the shortest expected time.
TimedSchedule compile_by_protocol(const config::Loaded& loaded, const CollectiveSpec& spec,
                                  const topology::Topology& topology,
                                  const topology::RoutingFunction& routing,
                                  std::optional<int> pattern_beyond) {
  const config::SystemConfig& system = loaded.config.system;
  const auto choices = protocol_choices(
      system, {.operation = to_string(spec.op), .bytes = spec.size, .ranks = topology.num_accelerators()});
  const schedule::AlgorithmInfo* const info = schedule::find_algorithm(spec.algorithm);
  const std::string algorithm = info != nullptr && info->chooses_algorithm ? "" : spec.algorithm;
  const auto compile = [&](const ProtocolChoice& choice, bool timed) {
    return compile_schedule(loaded, spec, topology, routing, pattern_beyond, choice, timed);
  };
  return at_key(loaded, "collective.algorithm",
                [&] { return choose_protocol(choices, system.ni.launch, algorithm, compile); });
}

// Checks imported tables against limits of the machine that the schedule checker does not cover.
void require_runnable(const config::Loaded& loaded, const std::string& file,
                      const schedule::Schedule& schedule) {
  if (schedule.element != workload::kElementBytes) {
    throw ConfigError(
        loaded.place("collective.file"),
        fmt::format("the elements in {} have {} bytes, but gradients are fp32 and have {} bytes: write fp32 "
                    "elements",
                    file, schedule.element, workload::kElementBytes));
  }
  const int vcs = loaded.config.system.router.vcs;
  for (std::size_t route = 0; route < schedule.routes.size(); ++route) {
    for (const topology::Hop& hop : schedule.routes[route]) {
      if (hop.vcs.end <= vcs) continue;
      throw ConfigError(
          loaded.place("system.router.vcs"),
          fmt::format(
              "system.router.vcs is {}, but route {} of {} uses virtual channel {}: write at least {}", vcs,
              route, file, hop.vcs.end - 1, hop.vcs.end));
    }
  }
}

void require_collective(const config::Loaded& loaded, const CollectiveSpec& spec, const std::string& op) {
  const std::string asked = to_string(spec.op);
  if (op == asked) return;
  throw ConfigError(loaded.place("collective.op"),
                    fmt::format("collective.op is {}, but {} is for {}: write {}", asked, spec.file, op, op));
}

// Parses a schedule file with JSON tables or an MSCCL, MSCCL++ or TACOS algorithm. Only JSON tables state the
// network for which they were compiled.
schedule::Schedule parse_schedule_file(const config::Loaded& loaded, const CollectiveSpec& spec,
                                       const topology::Topology& topology,
                                       const topology::RoutingFunction& routing) {
  const std::string text = schedule::read_schedule_text(spec.file);
  const bool msccl = schedule::looks_like_xml(text);
  const bool plan = schedule::looks_like_plan(text);
  if (!msccl && !plan && !schedule::looks_like_tacos(text)) {
    return schedule::parse_schedule(text, spec.file, topology.name());
  }
  if (msccl) require_collective(loaded, spec, schedule::msccl_collective(text, spec.file));
  if (plan) require_collective(loaded, spec, schedule::plan_collective(text, spec.file));
  schedule::CompileRequest request = request_of(loaded.config, spec, topology, routing);
  if (plan) return schedule::parse_plan(text, spec.file, topology, request);
  if (rooted(spec.op)) {
    require_root(loaded, spec, topology);
    request.root = spec.root;
  }
  return msccl ? schedule::parse_msccl(text, spec.file, topology, request)
               : schedule::parse_tacos(text, spec.file, topology, request);
}

schedule::Schedule read_schedule(const config::Loaded& loaded, const CollectiveSpec& spec,
                                 const topology::Topology& topology,
                                 const topology::RoutingFunction& routing) {
  schedule::Schedule schedule = at_key(loaded, "collective.file", [&] {
    return config::read_as({config::FileKind::kSchedule}, spec.file,
                           [&] { return parse_schedule_file(loaded, spec, topology, routing); });
  });
  require_collective(loaded, spec, schedule::collective_name(schedule));
  if (schedule.data_size() != spec.size) {
    throw ConfigError(
        loaded.place("collective.size"),
        fmt::format("collective.size is {}, but {} is for {}: write {}", format_bytes(spec.size), spec.file,
                    format_bytes(schedule.data_size()), format_bytes(schedule.data_size())));
  }
  require_runnable(loaded, spec.file, schedule);
  const auto accelerators = static_cast<std::size_t>(topology.num_accelerators());
  if (!topology.in_network().empty() && schedule.nodes.size() > accelerators) {
    schedule.adders = static_cast<int>(schedule.nodes.size() - accelerators);
  }
  for (std::size_t node = 0; node < std::min(accelerators, schedule.nodes.size()); ++node) {
    const std::size_t ports = schedule.nodes[node].ports.size();
    const int expected = resolve_ni_ports(loaded.config, topology);
    if (ports == static_cast<std::size_t>(expected)) continue;
    throw ConfigError(loaded.place("system.ni.ports"),
                      fmt::format("accelerator {} has {} tables in {}, but the system has {} NI ports per "
                                  "accelerator: write {}",
                                  node, ports, spec.file, expected, ports));
  }
  return schedule;
}

topology::GraphFile read_graph(const config::Loaded& loaded) {
  const config::SystemConfig& system = loaded.config.system;
  const std::function<std::string(const topology::LinkSpec&)> objection =
      [&](const topology::LinkSpec& link) {
        const std::string too_fast = config::bandwidth_objection(system, link.bandwidth);
        return too_fast.empty() ? config::latency_objection(system, link.latency) : too_fast;
      };
  const topology::LinkSpec link{system.link.bandwidth.front(), system.link.latency.front()};
  topology::GraphFile graph = at_key(loaded, "system.topology.file", [&] {
    return config::read_network_file(
        system.topology.file, {link, system.link.efficiency.front(), system.clock.period(), &objection});
  });
  const auto require_default = [&](const char* key, bool used, const std::string& refused) {
    if (!used || refused.empty()) return;
    throw ConfigError(loaded.place(key), fmt::format("{}, the default for channels in {}: {}", key,
                                                     system.topology.file, refused));
  };
  require_default("system.link.bandwidth", graph.uses_default_bandwidth,
                  config::bandwidth_objection(system, link.bandwidth));
  require_default("system.link.latency", graph.uses_default_latency,
                  config::latency_objection(system, link.latency));
  return graph;
}

// Throws if the arrival counters do not fit into memory. Every network interface has a counter for each flow,
// so 4,096 chunks on 4,096 accelerators take 67 MB.
void require_memory_for_flows(const config::Loaded& loaded, const topology::Topology& topology,
                              const schedule::Schedule& schedule) {
  const Bytes counts = static_cast<Bytes>(sizeof(std::int32_t)) * schedule.flows;
  const Bytes needed = counts * topology.num_interfaces();
  const Bytes available = machine_memory();
  if (needed <= available) return;
  throw ConfigError(
      loaded.place("collective.algorithm"),
      fmt::format("collective.algorithm: counters for {}'s {} flows at {} network interfaces need {:.2f} GB, "
                  "but only {:.2f} GB are available: use fewer chunks or accelerators",
                  schedule.algorithm, schedule.flows, topology.num_interfaces(),
                  static_cast<double>(needed) / 1e9, static_cast<double>(available) / 1e9));
}

}  // namespace

std::vector<std::string> overridden_link_keys(const config::Loaded& loaded, config::Purpose purpose) {
  const std::string& file = loaded.config.system.topology.file;
  if (!config::described_by(loaded.config, topology::DescribedBy::kFile)) return {};
  const topology::GraphFile graph = read_graph(loaded);
  std::vector<std::string> warnings;
  for (const auto& [key, used] : {std::pair{"system.link.bandwidth", graph.uses_default_bandwidth},
                                  std::pair{"system.link.latency", graph.uses_default_latency}}) {
    if (used || !loaded.was_set(key) || !config::find_key(key)->used.has(purpose)) continue;
    const SourceLocation place = loaded.place(key);
    warnings.push_back(
        fmt::format("{}:{}:{}: warning: {} has no effect: every channel in {} sets its own value", place.file,
                    place.line, place.column, key, file));
  }
  return warnings;
}

namespace {

topology::Topology build_whole_topology(const config::Loaded& loaded,
                                        const topology::ClosFailures& failures) {
  const config::SystemConfig& system = loaded.config.system;
  const topology::KindInfo& kind = *config::kind_of(loaded.config);
  if (kind.described_by == topology::DescribedBy::kFile) return read_graph(loaded).topology;
  if (kind.described_by == topology::DescribedBy::kDimensions) {
    const auto dimensions = config::dimensions_to_build(system);
    return at_key(loaded, "system.topology.dimensions", [&] { return topology::make_hierarchy(dimensions); });
  }
  std::vector<topology::LinkSpec> links;
  for (std::size_t level = 0; level < topology::num_link_levels(kind.kind, system.topology.dims); ++level) {
    links.push_back({usable_bandwidth(config::of_level(system.link.bandwidth, level),
                                      config::of_level(system.link.efficiency, level)),
                     config::of_level(system.link.latency, level)});
  }
  topology::Topology whole = at_key(loaded, "system.topology.dims", [&] {
    return topology::make_topology(kind.kind, system.topology.dims, links);
  });
  if (!kind.spines_fail || failures == topology::ClosFailures{}) return whole;
  at_key(loaded, "system.topology.failed_spines",
         [&] { return topology::make_clos(system.topology.dims, links, {.spines = failures.spines}); });
  return at_key(loaded, "system.topology.failed_links",
                [&] { return topology::make_clos(system.topology.dims, links, failures); });
}

}  // namespace

topology::Topology build_topology(const config::Loaded& loaded) {
  return build_topology(loaded, loaded.config.failures);
}

topology::Topology build_topology(const config::Loaded& loaded, const topology::ClosFailures& failures) {
  topology::Topology topology = build_whole_topology(loaded, failures);
  const auto& links = failures.links;
  const auto& degraded = loaded.config.degraded;
  if (!config::kind_of(loaded.config)->spines_fail && (!links.empty() || !degraded.empty())) {
    const char* const key = links.empty() ? "system.topology.degraded" : "system.topology.failed_links";
    topology = at_key(loaded, key, [&] { return topology::with_faults(topology, links, degraded); });
  }
  const bool adds = loaded.config.system.switches.reduction_bandwidth.has_value();
  if (adds && topology.in_network().empty()) topology.reduce_in_network({}, topology.num_switches());
  return topology;
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

Femtoseconds step_latency(const config::SystemConfig& system, const topology::Topology& topology,
                          const std::optional<schedule::Protocol>& protocol) {
  Femtoseconds longest = 0;
  for (const topology::Channel& channel : topology.channels()) longest = std::max(longest, channel.latency);
  if (topology.num_switches() > 0) longest *= 2;
  return message_setup(system, protocol) + longest +
         (system.ni.dma_latency + system.ni.reduction_latency) * system.clock.period();
}

Bytes padded_size(Bytes bytes, Bytes least) {
  return std::max((bytes + workload::kElementBytes - 1) / workload::kElementBytes * workload::kElementBytes,
                  least);
}

Bytes padded_size(const CollectiveSpec& spec, const config::SystemConfig& system, int accelerators) {
  const auto elements = [&]() -> Bytes {
    if (rooted(spec.op)) return 1;  // all data belongs to the root, so it need not be divided
    const schedule::AlgorithmInfo* const algorithm = schedule::find_algorithm(spec.algorithm);
    if (algorithm == nullptr || !algorithm->over_dimensions) return accelerators;
    const bool rings =
        std::ranges::any_of(system.topology.dimensions, topology::is_ring, &topology::DimensionSpec::kind);
    return schedule::pieces_of_a_chunk(accelerators, rings);
  };
  return padded_size(spec.size, elements() * workload::kElementBytes);
}

void require_root(const config::Loaded& loaded, const CollectiveSpec& spec,
                  const topology::Topology& topology) {
  if (spec.root < topology.num_accelerators()) return;
  throw ConfigError(loaded.place("collective.root"),
                    fmt::format("collective.root is {}, but {} has accelerators 0 to {}", spec.root,
                                topology.name(), topology.num_accelerators() - 1));
}

schedule::StepTiming step_timing(const config::SystemConfig& system,
                                 const std::optional<schedule::Protocol>& protocol) {
  // The number of cycles for injection, ejection and the delays of the network interfaces at both ends.
  constexpr Cycles kInterfaces = 5;
  const config::RouterConfig& router = system.router;
  const Cycles cycles =
      router.routing_delay + router.vc_alloc_delay + router.sw_alloc_delay + router.st_delay + 1;
  const bool packets = system.ni.flow_control == config::FlowControl::kPacket;
  const Femtoseconds period = system.clock.period();
  return {.flit = system.flit,
          .payload = packets ? system.ni.payload : 0,
          .router = cycles * period,
          .interface_time = kInterfaces * period,
          .cycle = period,
          .message_setup = message_setup(system, protocol),
          .efficiency = protocol ? protocol->efficiency : 1,
          .memory = system.ni.dma_latency * period,
          .reduction = system.ni.reduction_latency * period,
          .adder = system.switches.reduction_bandwidth.value_or(Bandwidth{}),
          .buffer = router.vc_depth};
}

CheckedSchedule build_schedule(const config::Loaded& loaded, const CollectiveSpec& spec,
                               const topology::Topology& topology, const topology::RoutingFunction& routing,
                               std::optional<int> pattern_beyond) {
  const schedule::AlgorithmInfo* const algorithm = schedule::find_algorithm(spec.algorithm);
  const bool imported = algorithm != nullptr && algorithm->from_file;
  CheckedSchedule result;
  if (imported) {
    result.schedule = read_schedule(loaded, spec, topology, routing);
  } else {
    TimedSchedule compiled = compile_by_protocol(loaded, spec, topology, routing, pattern_beyond);
    result.schedule = std::move(compiled.schedule);
    result.expected = std::move(compiled.expected);
  }
  try {
    result.report = schedule::check_schedule(topology, result.schedule);
  } catch (const schedule::ScheduleError& error) {
    if (imported) {
      throw ConfigError(loaded.place("collective.file"),
                        fmt::format("the schedule in {} fails the check: {}", spec.file, error.what()));
    }
    throw ModelError(fmt::format("the schedule that '{}' compiled fails the check: {}",
                                 result.schedule.algorithm, error.what()));
  }
  if (result.schedule.ordered_by_lockstep && !loaded.config.system.ni.lockstep) {
    throw ConfigError(loaded.place("system.ni.lockstep"),
                      fmt::format("the schedule of '{}' relies on the order that the lockstep enforces: set "
                                  "system.ni.lockstep: true",
                                  result.schedule.algorithm));
  }
  require_routes_deadlock_free(loaded, topology, result.schedule);
  require_memory_for_flows(loaded, topology, result.schedule);
  return result;
}

schedule::NiOverhead ni_overhead(const config::SystemConfig& system, const topology::Topology& topology,
                                 const schedule::Schedule& schedule) {
  const fabric::Framing framing{system.ni.flow_control, system.flit, system.ni.payload};
  const Bytes longest = schedule::longest_message(schedule);
  return schedule::ni_overhead(topology, schedule, {framing.flits(longest), framing.packets(longest)});
}

void require_deadlock_free(const config::Loaded& loaded, const topology::Topology& topology,
                           const topology::RoutingFunction& routing) {
  topology::ChannelDependencyGraph graph(topology, routing.num_vcs());
  graph.add_all_pairs(routing);
  require_acyclic(loaded, graph, "routing on " + topology.name());
}

}  // namespace coppice::system
