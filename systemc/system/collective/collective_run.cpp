// One collective from its configuration to its verified result.
#include <algorithm>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "base/error.h"
#include "base/time_limit.h"
#include "cosim/rtl_network_interface.h"
#include "fabric/failure.h"
#include "fabric/sim_time.h"
#include "schedule/proof/checker.h"
#include "schedule/registry.h"
#include "schedule/tables/detour_nodes.h"
#include "schedule/tables/final_chunks.h"
#include "system/collective/gradient_progress.h"
#include "system/collective/run.h"
#include "system/collective/verification.h"
#include "system/machine/build.h"
#include "system/machine/hierarchy.h"
#include "system/machine/least_time.h"
#include "system/machine/machine.h"
#include "system/machine/run_loop.h"
#include "system/machine/time_guard.h"
#include "system/output/dimension_activity.h"
#include "system/output/leaps.h"
#include "system/output/result.h"
#include "system/output/result_frame.h"
#include "system/output/statistics.h"
#include "system/output/time_breakdown.h"
#include "system/output/trace_writer.h"
#include "system/output/vcd_probe.h"
#include "system/process/auto_fidelity.h"
#include "system/process/child_process.h"
#include "system/process/cost_meter.h"

namespace coppice::system {
namespace {

using topology::NodeId;

// All that is known of a run before its first simulated cycle; no SystemC in it.
struct Prepared {
  explicit Prepared(const config::Loaded& loaded, std::optional<int> pattern_beyond = std::nullopt)
      : topology(build_topology(loaded)),
        routing(build_routing(loaded, topology)),
        checked(build_schedule(loaded, topology, *routing, pattern_beyond)),
        ni_ports(resolve_ni_ports(loaded.config, topology)),
        fabric_ports(most_ports()),
        least(find_least_time(loaded.config.system, topology, checked.schedule)) {
    constexpr std::int64_t kLongestNs = kLongestTime / kFemtosecondsPerNanosecond;
    if (least.ns() > static_cast<double>(kLongestNs)) {
      throw TimeLimitError("the collective, however it is scheduled,");
    }
  }

  topology::Topology topology;
  std::unique_ptr<topology::RoutingFunction> routing;
  CheckedSchedule checked;
  int ni_ports;      // of an accelerator
  int fabric_ports;  // of any network interface: switches that add have one for every accelerator
  LeastTime least;

 private:
  int most_ports() const {
    auto most = static_cast<std::size_t>(ni_ports);
    for (const schedule::NodeTables& node : checked.schedule.nodes) most = std::max(most, node.ports.size());
    return static_cast<int>(most);
  }
};

class CollectiveRun {
 public:
  CollectiveRun(const config::Loaded& loaded, const RunOptions& options, const Prepared& prepared,
                config::Fidelity fidelity, fabric::Meetings* meetings,
                const SymmetricRun* symmetric = nullptr)
      : loaded_(loaded),
        options_(options),
        topology_(prepared.topology),
        schedule_(prepared.checked.schedule),
        prepared_(prepared),
        fidelity_(fidelity),
        meetings_(meetings),
        symmetric_(symmetric),
        verification_(make_verification(config().check, schedule_, prepared.checked.report, config().seed)),
        breakdown_(topology_.num_accelerators(), prepared.ni_ports) {
    fabric::set_time_resolution();
    build_machine();
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
    try {
      simulate();
      fabric_->check_conservation();
      verify();
    } catch (const ni::WrongDataError& error) {
      if (!schedule_.ordered_by_lockstep) throw;
      throw order_lost(error.what());
    }
    give_final_values();
    if (trace_) trace_->finish();
    if (vcd_) vcd_->finish();
    if (options_.statistics != nullptr) *options_.statistics = fabric_->statistics();
    nlohmann::ordered_json result = make_result(
        {config(), topology_, schedule_, prepared_.checked.report, verification_->name(),
         config::to_string(fidelity_), finish_.last, fabric_->period(), fabric_->statistics(),
         prepared_.least, breakdown_.to_json(finish_.last), verification_->checked(), activity_.get()});
    end_result(result, *machine_, options_.statistics_path, cost);
    predict(result);
    if (fidelity_ == config::Fidelity::kLeap) {
      result["leap"] = leaps(finish_.last, machine_->leapt(), topology_.num_nodes(), machine_->stretched());
    }
    write_flits_beside_trains(meetings_, result);
    if (progress_) result["gradients"] = progress_->to_json();
    write_choice(prepared_.checked.expected, result);
    const std::vector<NodeId> through = schedule::forwarders(topology_, schedule_);
    if (!through.empty()) result["forwarding"] = through;
    return result;
  }

  const Machine& machine() const { return *machine_; }

 private:
  // When the last message was reduced or stored.
  struct Finish final : ni::MessageObserver {
    void message_completed(const ni::MessageRecord& message) override {
      last = std::max(last, message.completed);
    }
    Cycles last = 0;
  };

  const config::Config& config() const { return loaded_.config; }

  void verify() {
    for (const auto& interface : machine_->interfaces()) interface->settle();
    verification_->verify();
  }

  // Why data may be wrong though every entry is right.
  OrderLostError order_lost(const std::string& wrong) const {
    const schedule::CheckReport& report = prepared_.checked.report;
    const std::string why =
        report.contention_free
            ? "messages of one timestep that differ in length, or that wait for credits, came later"
            : fmt::format("messages that share {} came later", to_string(topology_, report.shared.front()));
    return OrderLostError(fmt::format(
        "{}; the order of '{}' is kept by the lockstep alone, and {} than it counts on: choose an "
        "algorithm that is right under any timing",
        wrong, schedule_.algorithm, why));
  }

  // The account of C-Cube's equations of rings and trees.
  void predict(nlohmann::ordered_json& result) const {
    const auto model = schedule::cost_model(topology_, step_latency(config(), topology_));
    const auto time_ns = schedule::predicted_ns(model, schedule_);
    if (!time_ns) return;
    result["cost_model"] = {
        {"alpha_ns", model.alpha_ns}, {"beta_ns_per_byte", model.beta_ns_per_byte}, {"time_ns", *time_ns}};
  }

  void follow_gradients() {
    auto chunks = schedule::find_final_chunks(schedule_);
    if (!chunks) return;
    progress_ = std::make_unique<GradientProgress>(std::move(*chunks), fabric_->period());
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

  void build_machine() {
    for (const schedule::NodeTables& node : schedule_.nodes) {
      for (const auto& port : node.ports) messages_ += port.messages();
    }
    const MachineSpec spec{
        .loaded = loaded_,
        .topology = topology_,
        .routing = *prepared_.routing,
        .schedule = schedule_,
        .fidelity = fidelity_,
        .fabric_ports = prepared_.fabric_ports,
        .log = log_,
        .failure = failure_,
        .contents = [this](NodeId node) -> ni::GradientMemory& { return verification_->memory(node); },
        .rtl_interfaces = rtl_nodes(),
        .wave_path = options_.fst_path,
        .threads = threads(),
        .symmetric = symmetric_,
        .meetings = meetings_,
    };
    machine_ = std::make_unique<Machine>("machine", spec, options_.parts);
    fabric_ = &machine_->fabric();
    // A value change dump samples the nodes in every cycle of the kernel.
    if (options_.vcd_path.empty()) machine_->decouple();
  }

  // Every accelerator takes the data in at least once, a hop away.
  int threads() const {
    const double flits = static_cast<double>(schedule_.size) / static_cast<double>(config().system.flit);
    return threads_for(flits * topology_.num_accelerators(), options_.threads);
  }

  // Accelerators whose network interface is in Verilog.
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

  std::vector<const ni::Interface*> observed() const {
    std::vector<const ni::Interface*> chosen;
    for (const int node : config().observe_nodes) {
      if (node < 0 || node >= topology_.num_accelerators()) {
        throw ConfigError(loaded_.place("observe.nodes"),
                          fmt::format("no accelerator {}; {} has 0 to {}", node, topology_.name(),
                                      topology_.num_accelerators() - 1));
      }
      chosen.push_back(machine_->interfaces()[static_cast<std::size_t>(node)].get());
    }
    return chosen;
  }

  bool complete() const { return log_.completed_count() == messages_; }

  void simulate() {
    const RunState state{
        .run_to = [this](Cycles cycle) { machine_->run_to(cycle); },
        .complete = [this] { return complete(); },
        .part =
            [this] {
              return messages_ > 0
                         ? static_cast<double>(log_.completed_count()) / static_cast<double>(messages_)
                         : 0;
            },
        .how_far =
            [this] { return fmt::format("{} of {} messages are done", log_.completed_count(), messages_); },
        .stuck = [this](Cycles cycle) { return stuck(cycle); },
        .who = [this](Cycles cycle) { return describe_waiting(cycle); },
        .between =
            [this] {
              if (vcd_ && complete()) vcd_->stop();
            },
    };
    const Cycles end =
        run_to_end(*fabric_, state, config().max_cycles, options_.interrupted, options_.progress);
    // Sums of flits that came at once may still wait in a reduction unit when their messages have arrived.
    constexpr Cycles kSettle = 1000;
    if (fidelity_ == config::Fidelity::kFlit || fidelity_ == config::Fidelity::kLeap) {
      machine_->run_to(end + kSettle);
    }
  }

  // The probe's own clock keeps the kernel busy, so silence is judged by movement when it is on.
  bool stuck(Cycles cycle) const {
    constexpr Cycles kPatience = 10'000'000;
    return vcd_ ? cycle - std::max(fabric_->last_movement(), finish_.last) > kPatience : kernel_is_silent();
  }

  std::string describe_waiting(Cycles cycle) const {
    std::string text = fabric_->describe_packets(16);
    int lines = 0;
    for (const auto& interface : machine_->interfaces()) {
      if (lines < 16 && !interface->finished()) {
        text += interface->describe_waiting(cycle);
        ++lines;
      }
    }
    return text;
  }

  const config::Loaded& loaded_;
  const RunOptions& options_;
  const topology::Topology& topology_;
  const schedule::Schedule& schedule_;
  const Prepared& prepared_;
  config::Fidelity fidelity_;
  fabric::Meetings* meetings_;
  const SymmetricRun* symmetric_;
  std::unique_ptr<Verification> verification_;
  TimeBreakdown breakdown_;
  Finish finish_;
  std::unique_ptr<GradientProgress> progress_;
  std::unique_ptr<DimensionActivity> activity_;
  ni::MessageLog log_;
  fabric::Failure failure_;
  std::unique_ptr<Machine> machine_;
  fabric::Fabric* fabric_ = nullptr;  // the machine's
  std::unique_ptr<TraceWriter> trace_;
  std::unique_ptr<VcdProbe> vcd_;
  std::int64_t messages_ = 0;
};

// Whether trains of one accelerator may tell what all do: nobody watches single messages in their order, and
// what accelerators do takes no time that their data decide on.
bool may_tell_by_one(const config::Config& config, const RunOptions& options) {
  const bool trains =
      config.fidelity == config::Fidelity::kTrain || config.fidelity == config::Fidelity::kAuto;
  const bool watched =
      !options.by_one_here &&
      (!options.trace_path.empty() || !options.vcd_path.empty() || !options.message_observers.empty() ||
       !options.fabric_observers.empty() || options.statistics != nullptr || options.final_values);
  const bool own_modules = options.parts.make_accelerator || options.parts.make_memory;
  return trains && options.meetings == nullptr && !watched && !own_modules &&
         !config.system.accelerator.memory_bandwidth;
}

// In a process of its own: where trains meet or the run fails otherwise, all accelerators tell where and why.
std::optional<nlohmann::ordered_json> run_symmetric(const config::Loaded& loaded, const RunOptions& options,
                                                    const Prepared& prepared, const char* size) {
  if (!may_tell_by_one(loaded.config, options)) return std::nullopt;
  const auto symmetric =
      find_symmetric_run(prepared.topology, prepared.checked.schedule, prepared.checked.report);
  if (symmetric == nullptr) return std::nullopt;
  const auto run = [&] {
    return within_time(loaded, size, [&] {
      return CollectiveRun(loaded, options, prepared, config::Fidelity::kTrain, nullptr, symmetric.get())
          .run();
    });
  };
  if (options.by_one_here) return run();
  try {
    return run_in_child(run, options.interrupted);
  } catch (const ModelError&) {
    return std::nullopt;
  }
}

}  // namespace

std::string describe_modules(const config::Loaded& loaded) {
  const Prepared prepared(loaded);
  const config::Fidelity asked = loaded.config.fidelity;
  const CollectiveRun run(loaded, {}, prepared,
                          asked == config::Fidelity::kAuto ? config::Fidelity::kFlit : asked, nullptr);
  return describe_hierarchy();
}

std::string describe_quantities(const config::Loaded& loaded) {
  const Prepared prepared(loaded);
  const config::Fidelity asked = loaded.config.fidelity;
  const CollectiveRun run(loaded, {}, prepared,
                          asked == config::Fidelity::kAuto ? config::Fidelity::kFlit : asked, nullptr);
  return describe_statistics(run.machine());
}

// `auto` tries trains in a process of its own, and simulates flits, leaping over what repeats, where they do
// not apply. A value change dump shows flits, so it asks for them from the start.
nlohmann::ordered_json run_collective(const config::Loaded& loaded, const RunOptions& options) {
  const char* const size = loaded.config.training.model.empty() ? "collective.size" : "training.model";
  const auto prepared =
      within_time(loaded, size, [&] { return std::make_unique<Prepared>(loaded, options.pattern_beyond); });
  const auto run = [&](config::Fidelity fidelity, fabric::Meetings* meetings = nullptr) {
    return within_time(loaded, size,
                       [&] { return CollectiveRun(loaded, options, *prepared, fidelity, meetings).run(); });
  };
  const bool rtl_interfaces = loaded.config.system.ni.impl == config::Implementation::kRtl;
  const bool rtl = rtl_interfaces || loaded.config.system.router.impl == config::Implementation::kRtl;
  if (rtl && loaded.config.fidelity != config::Fidelity::kFlit &&
      loaded.config.fidelity != config::Fidelity::kAuto) {
    throw ConfigError(loaded.place("fidelity"), "fidelity: the Verilog speaks flits: write flit or auto");
  }
  if (!rtl_interfaces && !options.fst_path.empty()) {
    throw ConfigError(loaded.place("system.ni.impl"),
                      "--fst: a waveform shows a network interface in Verilog: set system.ni.impl to rtl");
  }
  if (!rtl) {
    if (auto result = run_symmetric(loaded, options, *prepared, size)) return *std::move(result);
  }
  if (loaded.config.fidelity == config::Fidelity::kTrain)
    return run(config::Fidelity::kTrain, options.meetings);
  if (loaded.config.fidelity == config::Fidelity::kLeap) {
    if (!options.vcd_path.empty()) {
      throw ConfigError(loaded.place("fidelity"),
                        "fidelity: leap leaves out flits that a value change dump (--vcd) shows: write flit");
    }
    return run(config::Fidelity::kLeap);
  }
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
  return run_auto(run, 0, false, options.interrupted);
}

}  // namespace coppice::system
