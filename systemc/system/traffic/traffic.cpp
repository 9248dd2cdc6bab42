// Synthetic traffic: sources, sinks, and the warm-up, measurement and drain around them.
#include <algorithm>
#include <deque>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "base/error.h"
#include "base/random.h"
#include "base/time_limit.h"
#include "fabric/flit_fabric.h"
#include "fabric/sim_time.h"
#include "system/collective/run.h"
#include "system/machine/build.h"
#include "system/process/cost_meter.h"
#include "system/traffic/patterns.h"

namespace coppice::system {
namespace {

using fabric::Packet;
using topology::NodeId;

// The sums over the packets of the measurement.
struct Measurement {
  Cycles start = 0;
  Cycles end = 0;
  std::int64_t created = 0;   // packets created inside [start, end)
  std::int64_t finished = 0;  // of those, ejected by now
  std::int64_t packet_latency = 0;
  std::int64_t flit_latency = 0;
  std::int64_t hops = 0;
  std::int64_t ejected_flits = 0;  // inside [start, end), of any packet

  bool covers(Cycles cycle) const { return cycle >= start && cycle < end; }
};

// One node: a Bernoulli source with an unbounded queue, and a sink. The creation of a packet is drawn when
// the one before has left, up to kHorizon cycles ahead, and the source sleeps until then: the same packets as
// from drawing every cycle.
class TrafficNode final : public fabric::Injector, public fabric::Ejector {
 public:
  TrafficNode(NodeId node, const TrafficOptions& options, const TrafficPattern& pattern, int tie_bits,
              std::uint64_t seed, Measurement& measurement)
      : node_(node),
        probability_(options.rate / options.packet_flits),
        packet_flits_(static_cast<std::uint32_t>(options.packet_flits)),
        tie_mask_((std::uint64_t{1} << tie_bits) - 1),
        pattern_(&pattern),
        random_(seed, static_cast<std::uint64_t>(node)),
        measurement_(&measurement) {}

  // The fabric that wakes it.
  void attach(fabric::Fabric& fabric) { fabric_ = &fabric; }

  Answer next_packet(Cycles now, Packet& packet) override {
    while (!next_.has_value() && drawn_until_ <= now + kHorizon) draw();
    if (!next_.has_value() || *next_ > now) {
      fabric_->wake(node_, 0, next_.value_or(drawn_until_));
      return Answer::kSleep;
    }
    const Cycles created = *next_;
    next_.reset();
    packet.src = node_;
    packet.dst = pattern_->destination(node_, random_);
    packet.route_state.tie_bits = tie_mask_ == 0 ? 0 : static_cast<std::uint32_t>(random_.next() & tie_mask_);
    packet.flits = packet_flits_;
    packet.created = created;
    if (measurement_->covers(created)) ++measurement_->created;
    return Answer::kPacket;
  }

  void packet_injected(const Packet& /*packet*/, Cycles /*now*/) override {}

  void packet_ejected(const Packet& packet, Cycles now) override {
    if (!measurement_->covers(packet.created)) return;
    ++measurement_->finished;
    measurement_->packet_latency += now - packet.created;
    measurement_->flit_latency += packet.flit_cycles;
    measurement_->hops += packet.hops;
  }

  // Every packet created before `cycle` has been handed to the network.
  bool handed_over_until(Cycles cycle) const { return next_.value_or(drawn_until_) >= cycle; }

 private:
  static constexpr Cycles kHorizon = 1024;

  void draw() {
    if (random_.bernoulli(probability_)) next_ = drawn_until_;
    ++drawn_until_;
  }

  NodeId node_;
  fabric::Fabric* fabric_ = nullptr;
  double probability_;
  std::uint32_t packet_flits_;
  std::uint64_t tie_mask_;
  const TrafficPattern* pattern_;
  Random random_;
  Measurement* measurement_;
  std::optional<Cycles> next_;  // creation of the packet that waits or will come next
  Cycles drawn_until_ = 0;      // whether a packet is created is known of the cycles before
};

void validate(const TrafficOptions& traffic) {
  const auto require = [](bool holds, const char* option, const std::string& message) {
    if (!holds) throw ConfigError({option, 1, 1}, message);
  };
  require(traffic.packet_flits >= 1 && traffic.packet_flits <= 65536, "--packet-flits",
          fmt::format("{} flits; a packet has 1 to 65536", traffic.packet_flits));
  require(traffic.rate > 0 && traffic.rate <= 1, "--rate",
          fmt::format("{} flits per node and cycle; the injection channel takes more than 0 and at most 1",
                      traffic.rate));
  require(traffic.warmup >= 0, "--warmup", "a number of cycles, 0 or more");
  require(traffic.measure >= 1, "--measure", "a number of cycles, 1 or more");
}

TrafficPattern make_pattern(Pattern pattern, const topology::Topology& topology) {
  try {
    return {pattern, topology};
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
        routing_(build_routing(loaded, topology_)),
        pattern_(make_pattern(traffic.pattern, topology_)) {
    require_deadlock_free(loaded, topology_, *routing_);
    measurement_.start = traffic.warmup;
    const Femtoseconds period = loaded.config.system.clock.period();
    measurement_.end =
        checked_sum(checked_time(traffic.warmup, period), checked_time(traffic.measure, period)) / period;
    fabric::set_time_resolution();
    fabric_ = std::make_unique<fabric::FlitFabric>("fabric", topology_, *routing_, loaded.config.system, 1,
                                                   failure_);
    for (NodeId node = 0; node < topology_.num_accelerators(); ++node) {
      nodes_.push_back(std::make_unique<TrafficNode>(node, traffic, pattern_, routing_->num_tie_bits(),
                                                     loaded.config.seed, measurement_));
      nodes_.back()->attach(*fabric_);
      fabric_->connect(node, 0, *nodes_.back(), *nodes_.back());
      fabric_->wake(node, 0, 0);
    }
    fabric_->decouple({});
  }

  nlohmann::ordered_json run() {
    const CostMeter cost;
    advance_to(measurement_.start);
    const std::int64_t ejected_before = fabric_->statistics().flits_ejected;
    advance_to(measurement_.end);
    measurement_.ejected_flits = fabric_->statistics().flits_ejected - ejected_before;
    const bool drained = drain();
    return result(drained, cost);
  }

 private:
  static constexpr Cycles kSlice = 1000;
  static constexpr Cycles kDrainLimitFactor = 4;  // times warm-up and measurement

  void advance_to(Cycles cycle) {
    while (cycle_ < cycle) {
      const Cycles next = std::min(cycle, cycle_ + kSlice);
      if (const Cycles limit = loaded_.config.max_cycles; limit > 0 && next > limit) {
        throw ModelError(
            fmt::format("cycle limit: {} cycles (max_cycles) are over before all packets of the "
                        "measurement, cycles {} to {}, have arrived",
                        limit, measurement_.start, measurement_.end));
      }
      fabric_->run_to(next);
      const Femtoseconds until = checked_time(next, fabric_->period());
      sc_core::sc_start(fabric::to_sc_time(until - cycle_ * fabric_->period()));
      failure_.rethrow();
      cycle_ = next;
      if (options_.interrupted != nullptr && options_.interrupted->load()) {
        throw Interrupted(fmt::format("interrupted at cycle {}", cycle_));
      }
      if (options_.progress) {
        options_.progress(static_cast<double>(cycle_) / static_cast<double>(measurement_.end));
      }
      check_movement();
    }
  }

  // Bernoulli sources never pause for long; a network that holds packets and moves none is deadlocked.
  void check_movement() const {
    constexpr Cycles kStuckSlices = 20;
    const Cycles quiet = cycle_ - fabric_->last_movement();
    if (fabric_->packets_in_flight() == 0 || quiet < kStuckSlices * kSlice + longest_latency()) return;
    throw ModelError(fmt::format("deadlock: no flit has moved since cycle {}; stuck packets:\n{}",
                                 fabric_->last_movement(), fabric_->describe_packets(16)));
  }

  Cycles longest_latency() const {
    Femtoseconds longest = 0;
    for (const auto& channel : topology_.channels()) longest = std::max(longest, channel.latency);
    return longest / fabric_->period() + 1;
  }

  // Injection goes on at the same rate until every packet of the measurement is out, or the limit is reached.
  bool drain() {
    const Cycles limit = kDrainLimitFactor * (measurement_.end + kSlice);
    const auto complete = [this] {
      return measurement_.finished == measurement_.created &&
             std::all_of(nodes_.begin(), nodes_.end(),
                         [this](const auto& node) { return node->handed_over_until(measurement_.end); });
    };
    while (!complete() && cycle_ < limit) advance_to(cycle_ + kSlice);
    return complete();
  }

  nlohmann::ordered_json result(bool drained, const CostMeter& cost) const {
    const double nodes = topology_.num_accelerators();
    const double cycles = static_cast<double>(traffic_.measure);
    const auto mean = [this](std::int64_t sum, std::int64_t per) -> nlohmann::ordered_json {
      if (measurement_.finished == 0) return nullptr;
      return static_cast<double>(sum) /
             (static_cast<double>(measurement_.finished) * static_cast<double>(per));
    };
    const double accepted = static_cast<double>(measurement_.ejected_flits) / (nodes * cycles);
    const double offered =
        static_cast<double>(measurement_.created) * traffic_.packet_flits / (nodes * cycles);
    nlohmann::ordered_json json;
    json["schema"] = "coppice.traffic/1";
    json["version"] = COPPICE_VERSION;
    config::write_config(loaded_.config, json);
    json["traffic"] = {{"pattern", to_string(traffic_.pattern)},
                       {"rate", traffic_.rate},
                       {"packet_flits", traffic_.packet_flits},
                       {"warmup", traffic_.warmup},
                       {"measure", traffic_.measure},
                       {"seed", loaded_.config.seed}};
    json["fidelity"] = "flit";
    json["packet_latency_mean"] = mean(measurement_.packet_latency, 1);
    json["flit_latency_mean"] = mean(measurement_.flit_latency, traffic_.packet_flits);
    json["accepted_flits_per_node_cycle"] = accepted;
    json["hops_mean"] = mean(measurement_.hops, 1);
    // The source queues grow: what leaves falls behind what is offered.
    constexpr double kKeepsUp = 0.95;
    json["saturated"] = !drained || accepted < kKeepsUp * offered;
    json["packets_measured"] = measurement_.finished;
    json["flit_hops"] = fabric_->statistics().flit_hops;
    json["simulator"] = cost.to_json(fabric_->statistics().flit_hops);
    return json;
  }

  const config::Loaded& loaded_;
  TrafficOptions traffic_;
  const RunOptions& options_;
  topology::Topology topology_;
  std::unique_ptr<topology::RoutingFunction> routing_;
  TrafficPattern pattern_;
  Measurement measurement_;
  fabric::Failure failure_;
  std::unique_ptr<fabric::FlitFabric> fabric_;
  std::vector<std::unique_ptr<TrafficNode>> nodes_;
  Cycles cycle_ = 0;
};

}  // namespace

nlohmann::ordered_json run_traffic(const config::Loaded& loaded, const TrafficOptions& traffic,
                                   const RunOptions& options) {
  validate(traffic);
  if (loaded.config.system.router.impl == config::Implementation::kRtl) {
    throw ConfigError(
        loaded.place("system.router.impl"),
        "system.router.impl: rtl takes gradient messages, by their source routes, not synthetic "
        "traffic: write systemc");
  }
  try {
    return TrafficRun(loaded, traffic, options).run();
  } catch (const TimeLimitError& error) {
    const char* const longest = traffic.warmup > traffic.measure ? "--warmup" : "--measure";
    throw ConfigError({longest, 1, 1}, fmt::format("{}: take fewer cycles", error.what()));
  }
}

}  // namespace coppice::system
