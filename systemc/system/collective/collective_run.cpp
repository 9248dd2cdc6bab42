// One collective from its configuration to its verified result.
#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "base/error.h"
#include "base/time_limit.h"
#include "cosim/rtl_network_interface.h"
#include "cosim/rtl_router.h"
#include "fabric/failure.h"
#include "fabric/flit_fabric.h"
#include "fabric/fluid_fabric.h"
#include "fabric/sim_time.h"
#include "fabric/train_fabric.h"
#include "ni/network_interface.h"
#include "schedule/proof/checker.h"
#include "schedule/registry.h"
#include "schedule/tables/detour_nodes.h"
#include "system/collective/gradient_progress.h"
#include "system/collective/run.h"
#include "system/collective/verification.h"
#include "system/machine/build.h"
#include "system/machine/time_guard.h"
#include "system/output/dimension_activity.h"
#include "system/output/result.h"
#include "system/output/time_breakdown.h"
#include "system/output/trace_writer.h"
#include "system/output/vcd_probe.h"
#include "system/process/child_process.h"
#include "system/process/cost_meter.h"

namespace coppice::system {
namespace {

using topology::NodeId;

// All that is known of a run before its first simulated cycle; no SystemC in it.
struct Prepared {
  explicit Prepared(const config::Loaded& loaded)
      : topology(build_topology(loaded)),
        routing(build_routing(loaded, topology)),
        checked(build_schedule(loaded, topology, *routing)),
        ni_ports(resolve_ni_ports(loaded.config, topology)),
        fabric_ports(most_ports()),
        bound_ns(find_least_time(loaded, topology).ns) {
    if (bound_ns > static_cast<double>(kLongestTime / kFemtosecondsPerNanosecond)) {
      throw TimeLimitError("the collective, however it is scheduled,");
    }
  }

  topology::Topology topology;
  std::unique_ptr<topology::RoutingFunction> routing;
  CheckedSchedule checked;
  int ni_ports;      // of an accelerator
  int fabric_ports;  // of any network interface: switches that add have one for every accelerator
  double bound_ns;

 private:
  int most_ports() const {
    auto most = static_cast<std::size_t>(ni_ports);
    for (const schedule::NodeTables& node : checked.schedule.nodes) most = std::max(most, node.ports.size());
    return static_cast<int>(most);
  }
};

// What `algorithm: auto` has compared, the fastest first.
nlohmann::ordered_json expected_times(const std::vector<schedule::ExpectedTime>& expected) {
  auto list = nlohmann::ordered_json::array();
  for (const schedule::ExpectedTime& one : expected) {
    nlohmann::ordered_json chunks = one.chunks;
    if (one.chunks == schedule::kAutomaticChunks) chunks = "auto";
    list.push_back({{"algorithm", one.algorithm},
                    {"chunks", chunks},
                    {"time_ns", static_cast<double>(one.time) / kFemtosecondsPerNanosecond}});
  }
  return list;
}

class CollectiveRun {
 public:
  CollectiveRun(const config::Loaded& loaded, const RunOptions& options, const Prepared& prepared,
                config::Fidelity fidelity)
      : loaded_(loaded),
        options_(options),
        topology_(prepared.topology),
        schedule_(prepared.checked.schedule),
        prepared_(prepared),
        fidelity_(fidelity),
        framing_{config().system.ni.flow_control, config().system.flit, config().system.ni.payload},
        verification_(make_verification(config().check, schedule_, prepared.checked.report, config().seed)),
        breakdown_(topology_.num_accelerators(), prepared.ni_ports),
        interfaces_(schedule_.nodes.size()) {
    fabric::set_time_resolution();
    clock_ = std::make_unique<ni::AlarmClock>("clock", config().system.clock.period(), failure_);
    context_.clock = clock_.get();
    build_fabric();
    build_interfaces();
    log_.add_observer(breakdown_);
    log_.add_observer(finish_);
    follow_gradients();
    follow_dimensions();
    for (ni::MessageObserver* observer : options.message_observers) log_.add_observer(*observer);
    for (fabric::FabricObserver* observer : options.fabric_observers) fabric_->add_observer(*observer);
    if (!options.trace_path.empty()) {
      trace_ = std::make_unique<TraceWriter>(options.trace_path, topology_, config().system,
                                             prepared.fabric_ports);
      log_.add_observer(*trace_);
      fabric_->add_observer(*trace_);
    }
    if (!options.vcd_path.empty()) {
      vcd_ = std::make_unique<VcdProbe>("vcd", options.vcd_path, topology_, fabric_->period(), observed());
      fabric_->add_observer(*vcd_);
    }
  }

  nlohmann::ordered_json run() {
    const CostMeter cost;
    simulate();
    fabric_->check_conservation();
    verify();
    give_final_values();
    if (trace_) trace_->finish();
    if (vcd_) vcd_->finish();
    if (options_.statistics != nullptr) *options_.statistics = fabric_->statistics();
    nlohmann::ordered_json result = make_result(
        {config(), topology_, schedule_, prepared_.checked.report, verification_->name(),
         config::to_string(fidelity_), finish_.last, fabric_->period(), fabric_->statistics(),
         prepared_.bound_ns, breakdown_.to_json(finish_.last), cost.to_json(fabric_->statistics().flit_hops),
         verification_->sample(), activity_.get()});
    predict(result);
    if (progress_) result["gradients"] = progress_->to_json();
    if (!prepared_.checked.expected.empty()) {
      result["chosen"] = prepared_.checked.expected.front().algorithm;
      result["expected"] = expected_times(prepared_.checked.expected);
    }
    const std::vector<NodeId> through = schedule::forwarders(topology_, schedule_);
    if (!through.empty()) result["forwarding"] = through;
    return result;
  }

 private:
  static constexpr Cycles kSlice = 10'000;

  // When the last message was reduced or stored.
  struct Finish final : ni::MessageObserver {
    void message_completed(const ni::MessageRecord& message) override {
      last = std::max(last, message.completed);
    }
    Cycles last = 0;
  };

  const config::Config& config() const { return loaded_.config; }

  void verify() {
    for (const auto& interface : interfaces_) interface->settle();
    const schedule::CheckReport& report = prepared_.checked.report;
    try {
      verification_->verify();
    } catch (const ModelError& error) {
      if (!schedule_.ordered_by_lockstep || report.contention_free) throw;
      throw OrderLostError(
          fmt::format("{}; the order of '{}' is kept by the lockstep alone, and messages that share {} came "
                      "later than it counts on: choose an algorithm that is right under any timing",
                      error.what(), schedule_.algorithm, to_string(topology_, report.shared.front())));
    }
  }

  // What C-Cube's equations say of rings and trees.
  void predict(nlohmann::ordered_json& result) const {
    const auto model = schedule::cost_model(topology_, step_latency(config(), topology_));
    const auto time_ns = schedule::predicted_ns(model, schedule_);
    if (!time_ns) return;
    result["cost_model"] = {
        {"alpha_ns", model.alpha_ns}, {"beta_ns_per_byte", model.beta_ns_per_byte}, {"time_ns", *time_ns}};
  }

  // Where forwarding costs computation, accelerators that forward take longer for their layers.
  void follow_gradients() {
    if (!GradientProgress::applies(schedule_)) {
      if (options_.forward_layers.empty()) return;
      throw ConfigError(
          loaded_.place("collective.algorithm"),
          fmt::format("collective.algorithm: {} on {} has no chunks that become final one by one, "
                      "which a forward pass could be chained to: a tree algorithm has",
                      schedule_.algorithm, topology_.name()));
    }
    std::vector<double> factors(schedule_.nodes.size(), 1.0);
    for (const NodeId node : schedule::forwarders(topology_, schedule_)) {
      factors[static_cast<std::size_t>(node)] += config().system.accelerator.forwarding_cost;
    }
    progress_ = std::make_unique<GradientProgress>(schedule_, options_.forward_layers, std::move(factors),
                                                   fabric_->period());
    log_.add_observer(*progress_);
  }

  void follow_dimensions() {
    if (topology_.dimension_kinds().empty()) return;
    activity_ = std::make_unique<DimensionActivity>(topology_, config().system, schedule_);
    log_.add_observer(*activity_);
    fabric_->add_observer(*activity_);
  }

  void give_final_values() const {
    if (!options_.final_values) return;
    for (NodeId node = 0; node < topology_.num_accelerators(); ++node) {
      const auto* memory = dynamic_cast<const ni::ValueMemory*>(&verification_->memory(node));
      if (memory != nullptr) options_.final_values(node, memory->values());
    }
  }

  void build_fabric() {
    if (fidelity_ == config::Fidelity::kTrain) {
      fabric_ = std::make_unique<fabric::TrainFabric>("fabric", topology_, config().system, framing_,
                                                      prepared_.fabric_ports, failure_);
    } else if (fidelity_ == config::Fidelity::kFluid) {
      fabric_ = std::make_unique<fabric::FluidFabric>("fabric", topology_, config().system, framing_,
                                                      prepared_.fabric_ports, failure_);
    } else {
      fabric_ = std::make_unique<fabric::FlitFabric>("fabric", topology_, *prepared_.routing, config().system,
                                                     prepared_.fabric_ports, failure_, flit_parts());
    }
    context_.fabric = fabric_.get();
  }

  // What is in Verilog stands in the same places as what is in SystemC.
  fabric::FlitParts flit_parts() {
    fabric::FlitParts parts;
    if (config().system.router.impl == config::Implementation::kRtl) {
      const std::string refusal =
          cosim::refuse_routers(config().system, schedule_, topology_, prepared_.ni_ports);
      if (!refusal.empty()) {
        throw ConfigError(loaded_.place("system.router.impl"), "system.router.impl: " + refusal);
      }
      parts.make_router = [this](const fabric::RouterSpec& spec, fabric::FlitContext& flits) {
        return cosim::make_rtl_router(spec, flits, contents_);
      };
    }
    const std::vector<bool> rtl = rtl_nodes();
    parts.make_terminal = [this, rtl](NodeId node, int ports, fabric::FlitContext& flits) {
      if (!topology_.is_accelerator(node) || !rtl[static_cast<std::size_t>(node)]) {
        return static_cast<fabric::Terminal*>(nullptr);
      }
      auto interface = std::make_unique<cosim::RtlNetworkInterface>(
          "ni", node, ports, context_, flits, verification_->memory(node), contents_, wave_path(node));
      fabric::Terminal* const terminal = interface.get();
      interfaces_[static_cast<std::size_t>(node)] = std::move(interface);
      return terminal;
    };
    return parts;
  }

  void build_interfaces() {
    for (NodeId node = 0; node < static_cast<NodeId>(schedule_.nodes.size()); ++node) {
      const auto& tables = schedule_.nodes[static_cast<std::size_t>(node)].ports;
      for (const auto& port : tables) messages_ += port.messages();
      auto& interface = interfaces_[static_cast<std::size_t>(node)];
      if (interface != nullptr) continue;
      interface = std::make_unique<ni::NetworkInterface>(fmt::format("ni_{}", node).c_str(), node,
                                                         static_cast<int>(tables.size()), context_,
                                                         verification_->memory(node));
    }
  }

  // Whose network interface is in Verilog.
  std::vector<bool> rtl_nodes() const {
    const auto nodes = static_cast<std::size_t>(topology_.num_accelerators());
    const config::NiConfig& ni = config().system.ni;
    if (ni.impl != config::Implementation::kRtl) return std::vector<bool>(nodes, false);
    const std::string refusal = cosim::refuse_ni(config().system, schedule_, topology_, prepared_.ni_ports);
    if (!refusal.empty()) throw ConfigError(loaded_.place("system.ni.impl"), "system.ni.impl: " + refusal);
    if (std::string_view(verification_->name()) == "contributions") {
      throw ConfigError(loaded_.place("check"),
                        "check: the network interface in Verilog carries numbers, not contributions: "
                        "values or off");
    }
    std::vector<bool> chosen(nodes, ni.rtl_nodes.empty());
    for (const int node : ni.rtl_nodes) {
      if (node >= topology_.num_accelerators()) {
        throw ConfigError(loaded_.place("system.ni.rtl_nodes"),
                          fmt::format("system.ni.rtl_nodes: no accelerator {}; {} has 0 to {}", node,
                                      topology_.name(), nodes - 1));
      }
      chosen[static_cast<std::size_t>(node)] = true;
    }
    return chosen;
  }

  std::string wave_path(NodeId node) const {
    return node == config().observe_nodes.front() ? options_.fst_path : std::string();
  }

  std::vector<const ni::Interface*> observed() const {
    std::vector<const ni::Interface*> chosen;
    for (const int node : config().observe_nodes) {
      if (node < 0 || node >= topology_.num_accelerators()) {
        throw ConfigError(loaded_.place("observe.nodes"),
                          fmt::format("no accelerator {}; {} has 0 to {}", node, topology_.name(),
                                      topology_.num_accelerators() - 1));
      }
      chosen.push_back(interfaces_[static_cast<std::size_t>(node)].get());
    }
    return chosen;
  }

  bool complete() const { return log_.completed_count() == messages_; }

  // Runs in slices until all messages are done and all credits are back. Nothing pending before that is a
  // deadlock: every module waits for another.
  void simulate() {
    Cycles cycle = 0;
    while (!(complete() && fabric_->idle())) {
      if (vcd_ && complete()) vcd_->stop();
      const Cycles next = cycle + std::max(kSlice, cycles_to_activity());
      require_progress(cycle);
      const Femtoseconds until = checked_time(limited(next), fabric_->period());
      sc_core::sc_start(fabric::to_sc_time(until - cycle * fabric_->period()));
      failure_.rethrow();
      cycle = limited(next);
      if (options_.interrupted != nullptr && options_.interrupted->load()) {
        throw Interrupted(fmt::format("interrupted at cycle {}", cycle));
      }
      if (options_.progress && messages_ > 0) {
        options_.progress(static_cast<double>(log_.completed_count()) / static_cast<double>(messages_));
      }
      if (config().max_cycles > 0 && cycle > config().max_cycles && !complete()) {
        throw ModelError(fmt::format("cycle limit: at cycle {} (max_cycles) {} of {} messages are done",
                                     config().max_cycles, log_.completed_count(), messages_));
      }
    }
    // Sums of flits that came at once may still wait in a reduction unit when their messages have arrived.
    constexpr Cycles kSettle = 1000;
    if (fidelity_ == config::Fidelity::kFlit)
      sc_core::sc_start(fabric::to_sc_time(kSettle * fabric_->period()));
    failure_.rethrow();
  }

  // The cycles before `cycle` are simulated, that of the limit at last.
  Cycles limited(Cycles cycle) const {
    const Cycles limit = config().max_cycles;
    return limit > 0 && cycle > limit && !complete() ? limit + 1 : cycle;
  }

  Cycles cycles_to_activity() const {
    if (!sc_core::sc_pending_activity()) return 0;
    return static_cast<Cycles>(sc_core::sc_time_to_pending_activity().value()) / fabric_->period() + 1;
  }

  // The probe's own clock keeps the kernel busy, so silence is judged by movement when it is on.
  void require_progress(Cycles cycle) const {
    constexpr Cycles kPatience = 10'000'000;
    const bool stuck = vcd_ ? cycle - std::max(fabric_->last_movement(), finish_.last) > kPatience
                            : !sc_core::sc_pending_activity();
    if (!stuck) return;
    std::string text = fmt::format("deadlock at cycle {}: {} of {} messages are done and nothing can move\n",
                                   fabric_->last_movement(), log_.completed_count(), messages_);
    text += fabric_->describe_packets(16);
    int lines = 0;
    for (const auto& interface : interfaces_) {
      if (lines < 16 && !interface->finished()) {
        text += interface->describe_waiting(cycle);
        ++lines;
      }
    }
    throw ModelError(text);
  }

  const config::Loaded& loaded_;
  const RunOptions& options_;
  const topology::Topology& topology_;
  const schedule::Schedule& schedule_;
  const Prepared& prepared_;
  config::Fidelity fidelity_;
  fabric::Framing framing_;
  std::unique_ptr<Verification> verification_;
  TimeBreakdown breakdown_;
  Finish finish_;
  std::unique_ptr<GradientProgress> progress_;
  std::unique_ptr<DimensionActivity> activity_;
  ni::MessageLog log_;
  fabric::Failure failure_;
  std::unique_ptr<fabric::Fabric> fabric_;
  std::unique_ptr<ni::AlarmClock> clock_;
  ni::NiContext context_{
      &topology_, &config().system, &schedule_, framing_, config().system.clock.period(), nullptr,
      &log_,      nullptr};
  cosim::FlitContents contents_{context_};
  std::vector<std::unique_ptr<ni::Interface>> interfaces_;  // [node of the schedule]
  std::unique_ptr<TraceWriter> trace_;
  std::unique_ptr<VcdProbe> vcd_;
  std::int64_t messages_ = 0;
};

}  // namespace

// `auto` tries trains in a process of its own, and simulates flits where they do not apply. A value change
// dump shows flits, so it asks for them from the start.
nlohmann::ordered_json run_collective(const config::Loaded& loaded, const RunOptions& options) {
  const char* const size = loaded.config.training.model.empty() ? "collective.size" : "training.model";
  const auto prepared = within_time(loaded, size, [&] { return std::make_unique<Prepared>(loaded); });
  const auto run = [&](config::Fidelity fidelity) {
    return within_time(loaded, size,
                       [&] { return CollectiveRun(loaded, options, *prepared, fidelity).run(); });
  };
  const bool rtl_interfaces = loaded.config.system.ni.impl == config::Implementation::kRtl;
  const bool rtl = rtl_interfaces || loaded.config.system.router.impl == config::Implementation::kRtl;
  if (rtl && (loaded.config.fidelity == config::Fidelity::kTrain ||
              loaded.config.fidelity == config::Fidelity::kFluid)) {
    throw ConfigError(loaded.place("fidelity"), "fidelity: the Verilog speaks flits: write flit or auto");
  }
  if (!rtl_interfaces && !options.fst_path.empty()) {
    throw ConfigError(loaded.place("system.ni.impl"),
                      "--fst: a waveform shows a network interface in Verilog: set system.ni.impl to rtl");
  }
  if (loaded.config.fidelity == config::Fidelity::kTrain) return run(config::Fidelity::kTrain);
  if (loaded.config.fidelity == config::Fidelity::kFluid) {
    if (!options.vcd_path.empty()) {
      throw ConfigError(loaded.place("fidelity"),
                        "fidelity: fluid has no flits for a value change dump (--vcd): write flit");
    }
    return run(config::Fidelity::kFluid);
  }
  if (loaded.config.fidelity == config::Fidelity::kFlit || rtl || !options.vcd_path.empty()) {
    return run(config::Fidelity::kFlit);
  }
  try {
    return run_in_child([&] { return run(config::Fidelity::kTrain); }, options.interrupted);
  } catch (const fabric::ContentionError& error) {
    nlohmann::ordered_json result = run(config::Fidelity::kFlit);
    result["fidelity_reason"] = error.what();
    return result;
  }
}

}  // namespace coppice::system
