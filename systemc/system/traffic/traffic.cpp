// Runs synthetic traffic: sources and sinks, with a warm-up, a measurement and a drain phase.
#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "base/time_limit.h"
#include "fabric/route_timing.h"
#include "fabric/sim_time.h"
#include "system/machine/build.h"
#include "system/machine/hierarchy.h"
#include "system/machine/machine.h"
#include "system/machine/run_loop.h"
#include "system/output/link_utilization.h"
#include "system/output/result_frame.h"
#include "system/output/statistics.h"
#include "system/process/cost_meter.h"
#include "system/traffic/packet_routing.h"
#include "system/traffic/packet_trace.h"
#include "system/traffic/patterns.h"
#include "system/traffic/traffic.h"
#include "system/traffic/traffic_node.h"

namespace coppice::system {
namespace {

using topology::NodeId;

void validate(const TrafficOptions& traffic) {
  const auto require = [](bool holds, const char* option, const std::string& message) {
    if (!holds) throw ConfigError({option, 1, 1}, message);
  };
  require(traffic.packet_flits >= 1 && traffic.packet_flits <= 65536, "--packet-flits",
          fmt::format("a packet must have 1 to 65536 flits, not {}", traffic.packet_flits));
  require(traffic.rate > 0 && traffic.rate <= 1, "--rate",
          fmt::format("the injection rate must be above 0 and at most 1 flit per node per cycle, not {}",
                      traffic.rate));
  require(traffic.warmup >= 0, "--warmup", "must be a number of cycles, 0 or more");
  require(traffic.measure >= 1, "--measure", "must be a number of cycles, 1 or more");
  if (const auto& requests = traffic.request_reply) {
    for (const int flits :
         {requests->read_request, requests->read_reply, requests->write_request, requests->write_reply}) {
      require(flits >= 1 && flits <= 65536, "--request-reply",
              fmt::format("a packet must have 1 to 65536 flits, not {}", flits));
    }
    require(requests->writes >= 0 && requests->writes <= 1, "--writes",
            "must be a fraction of the requests, 0 to 1");
  }
  if (!traffic.bursts) return;
  const auto probability = [](double p) { return p > 0 && p <= 1; };
  require(probability(traffic.bursts->begin) && probability(traffic.bursts->end), "--bursts",
          "must be two probabilities above 0 and at most 1: that a source turns on, and that it turns off");
  const double flits = traffic.request_reply ? traffic.request_reply->mean_flits() : traffic.packet_flits;
  const double while_on = InjectionProcess::while_on(traffic.rate / flits, *traffic.bursts);
  require(while_on <= 1, "--bursts",
          fmt::format("sources that are on {:.3g} of the time would have to create {:.3g} packets per cycle "
                      "while on: let them turn on more often or off less often",
                      traffic.bursts->begin / (traffic.bursts->begin + traffic.bursts->end), while_on));
}

TrafficPattern make_pattern(const TrafficOptions& traffic, std::uint64_t seed,
                            const topology::Topology& topology) {
  PatternInput input{traffic.hotspots, {}, seed};
  if (traffic.pattern == Pattern::kPermutation && !traffic.permutation.empty()) {
    input.targets = read_permutation(traffic.permutation, topology.num_accelerators());
  }
  try {
    return {traffic.pattern, topology, input};
  } catch (const UnsupportedError& error) {
    throw ConfigError({"--pattern", 1, 1}, error.what());
  }
}

class TrafficRun {
 public:
  TrafficRun(const config::Loaded& loaded, const TrafficOptions& traffic, const RunOptions& options)
      : loaded_(loaded),
        traffic_(traffic),
        options_(options),
        topology_(build_topology(loaded)),
        routing_(make_packet_routing(loaded, topology_)) {
    if (traffic.trace.empty()) {
      set_measurement();
      pattern_.emplace(make_pattern(traffic_, loaded_.config.seed, topology_));
    } else {
      read_trace();
    }
    build_machine();
  }
  // Destroys the last node first, since the kernel searches its list of ports from the end.
  ~TrafficRun() {
    while (!nodes_.empty()) nodes_.pop_back();
  }
  TrafficRun(const TrafficRun&) = delete;
  TrafficRun& operator=(const TrafficRun&) = delete;

  const Machine& machine() const { return *machine_; }

  nlohmann::ordered_json run() {
    const CostMeter cost;
    run_to_end(fabric(), run_state(), loaded_.config.max_cycles, options_.interrupted, options_.progress);
    const bool drained = complete();
    if (!traffic_.trace.empty()) {
      measurement_.end = std::max<Cycles>(measurement_.last_ejection, 1);
      measurement_.ejected_flits = fabric().statistics().flits_ejected;
    }
    return result(drained, cost);
  }

 private:
  static constexpr Cycles kSlice = 1000;
  static constexpr Cycles kDrainLimitFactor = 4;  // times the end of the measurement

  void set_measurement() {
    measurement_.start = traffic_.warmup;
    const Femtoseconds period = loaded_.config.system.clock.period();
    measurement_.end =
        checked_sum(checked_time(traffic_.warmup, period), checked_time(traffic_.measure, period)) / period;
  }

  void read_trace() {
    trace_.packets = read_packet_trace(traffic_.trace, topology_.num_accelerators(),
                                       loaded_.config.system.flit, traffic_.packet_flits);
    for (const TracePacket& packet : trace_.packets) trace_.missing.push_back(packet.waits_for);
    measurement_.end = std::numeric_limits<Cycles>::max();
  }

  void build_machine() {
    fabric::set_time_resolution();
    const MachineSpec spec{
        .loaded = loaded_,
        .topology = topology_,
        .routing = *routing_,
        .schedule = no_tables_,
        .fidelity = config::Fidelity::kFlit,
        .log = no_messages_,
        .failure = failure_,
        .contents = {},
        .rtl_interfaces = {},
        .wave_path = {},
        .make_endpoint = [this](NodeId node, fabric::FlitContext& flits) { return build_node(node, flits); },
    };
    machine_ = std::make_unique<Machine>("machine", spec);
    if (traffic_.trace.empty()) {
      machine_->decouple();
      return;
    }
    // A packet may wait for arrivals at another node, so nodes must not run ahead of each other.
    for (std::size_t i = 0; i < trace_.packets.size(); ++i) {
      const TracePacket& packet = trace_.packets[i];
      if (packet.waits_for == 0) trace_.nodes[static_cast<std::size_t>(packet.src)]->expect(i, packet.at);
    }
  }

  fabric::FlitParts::LocalPorts build_node(NodeId node, fabric::FlitContext& flits) {
    if (!topology_.is_accelerator(node)) return {};
    const TrafficPosition place{node, routing_->num_tie_bits(), loaded_.config.seed, measurement_, flits};
    if (traffic_.trace.empty()) {
      nodes_.push_back(std::make_unique<SyntheticNode>("traffic", place, traffic_, *pattern_));
    } else {
      auto traced = std::make_unique<TraceNode>("traffic", place, trace_);
      trace_.nodes.push_back(traced.get());
      nodes_.push_back(std::move(traced));
    }
    return nodes_.back()->local_ports();
  }

  const fabric::Fabric& fabric() const { return std::as_const(*machine_).fabric(); }

  RunState run_state() {
    return {.run_to = [this](Cycles cycle) { run_to(cycle); },
            .complete = [this] { return complete(); },
            .part = [this] { return part(); },
            .how_far = [this] { return how_far(); },
            .stuck = [this](Cycles cycle) { return stuck(cycle); },
            .who = [this](Cycles) { return fabric().describe_packets(16); },
            .between = {},
            .next_look = [this](Cycles cycle) { return next_look(cycle); },
            .ended = [this] { return ended(); }};
  }

  void run_to(Cycles cycle) {
    machine_->run_to(cycle);
    cycle_ = cycle;
    if (cycle == measurement_.start) ejected_before_ = fabric().statistics().flits_ejected;
    if (cycle == measurement_.end) {
      measurement_.ejected_flits = fabric().statistics().flits_ejected - ejected_before_;
    }
  }

  // Returns the cycle in which the next slice ends. Slices end at the end of the warm-up, at the end of the
  // measurement, and after at most kSlice cycles.
  Cycles next_look(Cycles cycle) const {
    if (!traffic_.trace.empty() || cycle >= measurement_.end) return cycle + kSlice;
    return std::min(cycle + kSlice, cycle < measurement_.start ? measurement_.start : measurement_.end);
  }

  // The run ends when every measured packet has been ejected, or at the limit for the drain phase. Until
  // then, sources inject packets at the same rate.
  bool ended() const {
    const bool limited = traffic_.trace.empty() && cycle_ >= kDrainLimitFactor * (measurement_.end + kSlice);
    return complete() || limited;
  }

  // Whether every packet of the trace has been ejected; for other traffic, whether every measured packet has
  // been.
  bool complete() const {
    if (!traffic_.trace.empty()) return trace_.arrived == trace_.packets.size();
    return cycle_ >= measurement_.end && measurement_.finished == measurement_.created &&
           std::all_of(nodes_.begin(), nodes_.end(),
                       [this](const auto& node) { return node->handed_over_until(measurement_.end); });
  }

  double part() const {
    return traffic_.trace.empty()
               ? static_cast<double>(cycle_) / static_cast<double>(measurement_.end)
               : static_cast<double>(trace_.arrived) / static_cast<double>(trace_.packets.size());
  }

  std::string how_far() const {
    if (!traffic_.trace.empty()) {
      return fmt::format("{} of {} packets have arrived", trace_.arrived, trace_.packets.size());
    }
    return fmt::format("{} of {} packets measured in cycles {} to {} have arrived", measurement_.finished,
                       measurement_.created, measurement_.start, measurement_.end);
  }

  // Whether the network is deadlocked. Sources never pause for long, so a network that holds packets and has
  // not moved any for some time cannot move them.
  bool stuck(Cycles cycle) const {
    constexpr Cycles kStuckSlices = 20;
    const Cycles quiet = cycle - fabric().last_movement();
    return !fabric().idle() && quiet >= kStuckSlices * kSlice + longest_latency();
  }

  Cycles longest_latency() const {
    Femtoseconds longest = 0;
    for (const auto& channel : topology_.channels()) longest = std::max(longest, channel.latency);
    return longest / fabric().period() + 1;
  }

  nlohmann::ordered_json result(bool drained, const CostMeter& cost) const {
    const double nodes = topology_.num_accelerators();
    const double cycles = static_cast<double>(measurement_.end - measurement_.start);
    const auto mean = [](std::int64_t sum, std::int64_t count) -> nlohmann::ordered_json {
      if (count == 0) return nullptr;
      return static_cast<double>(sum) / static_cast<double>(count);
    };
    const double accepted = static_cast<double>(measurement_.ejected_flits) / (nodes * cycles);
    const double offered = static_cast<double>(measurement_.created_flits) / (nodes * cycles);
    nlohmann::ordered_json json = begin_result("coppice.traffic/1", loaded_.config);
    json["traffic"] = traffic_.trace.empty() ? offered_traffic() : traced_traffic();
    json["fidelity"] = "flit";
    json["packet_latency_mean"] = mean(measurement_.packet_latency, measurement_.finished);
    json["flit_latency_mean"] = mean(measurement_.flit_latency, measurement_.finished_flits);
    json["accepted_flits_per_node_cycle"] = accepted;
    json["hops_mean"] = mean(measurement_.hops, measurement_.finished);
    if (traffic_.request_reply && traffic_.trace.empty()) {
      json["transaction_latency_mean"] = mean(measurement_.transaction_latency, measurement_.transactions);
    }
    if (!traffic_.trace.empty()) json["cycles"] = measurement_.last_ejection;
    // If the ratio of accepted to offered traffic is lower than this, source queues keep growing.
    constexpr double kKeepsUp = 0.95;
    json["saturated"] = !drained || accepted < kKeepsUp * offered;
    json["packets_measured"] = measurement_.finished;
    json["flit_hops"] = fabric().statistics().flit_hops;
    write_channels(loaded_.config.system, topology_, fabric().statistics(),
                   (fabric().last_movement() + 1) * fabric().period(), json);
    end_result(json, *machine_, options_.statistics_path, cost);
    json["ejection_utilization_max"] =
        busiest_ejection(json["statistics"]["terminal"]["flits_ejected"]["max"]);
    return json;
  }

  // The share of the time for which the ejection channel of an accelerator that received `flits` was busy;
  // traffic uses one port.
  double busiest_ejection(std::int64_t flits) const {
    const config::SystemConfig& system = loaded_.config.system;
    const Femtoseconds flit_time = std::max(fabric().period(), fabric::ejection_flit_time(system, false));
    const auto time = static_cast<double>((fabric().last_movement() + 1) * fabric().period());
    return static_cast<double>(flits) * static_cast<double>(flit_time) / time;
  }

  nlohmann::ordered_json traced_traffic() const {
    return {{"trace", traffic_.trace}, {"packets", trace_.packets.size()}};
  }

  nlohmann::ordered_json offered_traffic() const {
    nlohmann::ordered_json json = {{"pattern", to_string(traffic_.pattern)},
                                   {"rate", traffic_.rate},
                                   {"packet_flits", traffic_.packet_flits},
                                   {"warmup", traffic_.warmup},
                                   {"measure", traffic_.measure},
                                   {"seed", loaded_.config.seed}};
    for (const Hotspot& hotspot : traffic_.hotspots) {
      json["hotspots"].push_back({{"node", hotspot.node}, {"weight", hotspot.weight}});
    }
    if (!traffic_.permutation.empty()) json["permutation"] = traffic_.permutation;
    if (traffic_.bursts) json["bursts"] = {{"begin", traffic_.bursts->begin}, {"end", traffic_.bursts->end}};
    if (const auto& requests = traffic_.request_reply) {
      json["request_reply"] = {{"writes", requests->writes},
                               {"read_request", requests->read_request},
                               {"read_reply", requests->read_reply},
                               {"write_request", requests->write_request},
                               {"write_reply", requests->write_reply}};
    }
    return json;
  }

  const config::Loaded& loaded_;
  TrafficOptions traffic_;
  const RunOptions& options_;
  topology::Topology topology_;
  std::unique_ptr<topology::RoutingFunction> routing_;
  std::optional<TrafficPattern> pattern_;
  TraceState trace_;
  Measurement measurement_;
  fabric::Failure failure_;
  const schedule::Schedule no_tables_;
  ni::MessageLog no_messages_;
  std::unique_ptr<Machine> machine_;
  std::vector<std::unique_ptr<TrafficNode>> nodes_;  // [accelerator]
  Cycles cycle_ = 0;
  std::int64_t ejected_before_ = 0;  // number of flits ejected before the measurement
};

void require_systemc(const config::Loaded& loaded) {
  if (loaded.config.system.router.impl == config::Implementation::kRtl) {
    throw ConfigError(
        loaded.place("system.router.impl"),
        "system.router.impl: rtl supports only gradient messages, which carry source routes, and not "
        "synthetic traffic: write systemc");
  }
}

}  // namespace

std::string describe_traffic_modules(const config::Loaded& loaded) {
  require_systemc(loaded);
  const RunOptions options;
  const TrafficRun run(loaded, {}, options);
  return describe_hierarchy();
}

std::string describe_traffic_quantities(const config::Loaded& loaded) {
  require_systemc(loaded);
  const RunOptions options;
  const TrafficRun run(loaded, {}, options);
  return describe_statistics(run.machine());
}

nlohmann::ordered_json run_traffic(const config::Loaded& loaded, const TrafficOptions& traffic,
                                   const RunOptions& options) {
  validate(traffic);
  require_systemc(loaded);
  try {
    return TrafficRun(loaded, traffic, options).run();
  } catch (const TimeLimitError& error) {
    const char* const longest = traffic.warmup > traffic.measure ? "--warmup" : "--measure";
    throw ConfigError({longest, 1, 1}, fmt::format("{}: measure fewer cycles", error.what()));
  }
}

}  // namespace coppice::system
