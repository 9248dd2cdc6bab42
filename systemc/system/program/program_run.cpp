#include "system/program/program_run.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/error.h"
#include "base/time_limit.h"
#include "config/lone_collective_config.h"
#include "config/program_file.h"
#include "config/shape.h"
#include "fabric/failure.h"
#include "fabric/sim_time.h"
#include "schedule/tables/final_chunks.h"
#include "system/machine/build.h"
#include "system/machine/machine.h"
#include "system/machine/run_loop.h"
#include "system/machine/time_guard.h"
#include "system/output/leaps.h"
#include "system/output/link_utilization.h"
#include "system/output/possible.h"
#include "system/output/statistics.h"
#include "system/output/trace_writer.h"
#include "system/process/auto_fidelity.h"
#include "system/process/cost_meter.h"
#include "system/process/interrupted.h"
#include "system/program/failing_run.h"
#include "system/program/job_programs.h"
#include "system/program/large_program.h"
#include "system/program/lone_collective.h"
#include "system/program/program_runner.h"
#include "system/program/program_state.h"
#include "system/program/program_timeline.h"
#include "system/program/text_workload_program.h"
#include "workload/chakra/import.h"

namespace coppice::system {
namespace {

using topology::NodeId;

// The key that a program comes from.
std::string origin(const config::Loaded& loaded) {
  if (config::runs_lone_collective(loaded.config)) return "collective";
  return loaded.places.contains("program") ? "program" : "training";
}

void require_room(const config::Loaded& loaded, const topology::Topology& topology,
                  const workload::Program& program) {
  const int accelerators = topology.num_accelerators();
  for (std::size_t rank = 0; rank < program.ranks.size(); ++rank) {
    const NodeId at = program.placement.empty() ? static_cast<NodeId>(rank) : program.placement[rank];
    if (at < accelerators) continue;
    throw ConfigError(
        loaded.place(origin(loaded)),
        fmt::format("the program has rank {} on accelerator {}, but {} has accelerators 0 to {} only", rank,
                    at, topology.name(), accelerators - 1));
  }
  const std::size_t jitter = loaded.config.program.jitter.size();
  if (jitter > 1 && jitter != program.ranks.size()) {
    throw ConfigError(
        loaded.place("program.jitter"),
        fmt::format("program.jitter lists {} factors for {} ranks: write one, or one for every rank", jitter,
                    program.ranks.size()));
  }
  for (const auto& [key, implementation] :
       {std::pair{"system.ni.impl", loaded.config.system.ni.impl},
        std::pair{"system.router.impl", loaded.config.system.router.impl}}) {
    if (implementation != config::Implementation::kRtl) continue;
    throw ConfigError(loaded.place(key),
                      fmt::format("{}: rtl runs a single collective, not a program: write systemc", key));
  }
}

// All that is known of a run before its first simulated cycle; no SystemC in it.
struct Prepared {
  Prepared(const config::Loaded& loaded, const workload::Program& program, const std::vector<Job>& jobs,
           topology::Topology network)
      : topology(std::move(network)),
        routing(build_routing(loaded, topology)),
        ni_ports(resolve_ni_ports(loaded.config, topology)),
        fabric_ports(ni_ports),
        compiler(loaded, topology, *routing) {
    require_room(loaded, topology, program);
    // Compiles all of them.
    const ProgramState state(loaded, program, jobs, compiler);
    flit_hops = state.flit_hops();
    compiler.require_deadlock_free();
    // Interfaces begin without tables of their own.
    idle.nodes.resize(static_cast<std::size_t>(topology.num_interfaces()));
    for (auto& node : idle.nodes) node.ports.resize(static_cast<std::size_t>(ni_ports));
    give_adders_ports(state);
  }

  // Switches that add have a port for every accelerator.
  void give_adders_ports(const ProgramState& state) {
    for (ni::ContextId id = 1; id <= state.program().collectives.size(); ++id) {
      const CompiledCollective* const compiled = state.exchange(id).compiled;
      if (compiled == nullptr) continue;
      for (std::size_t i = compiled->accelerators.size(); i < compiled->interfaces.size(); ++i) {
        const std::size_t ports = compiled->schedule.nodes[i].ports.size();
        idle.nodes[static_cast<std::size_t>(compiled->interfaces[i])].ports.resize(ports);
        fabric_ports = std::max(fabric_ports, static_cast<int>(ports));
      }
    }
  }

  topology::Topology topology;
  std::unique_ptr<topology::RoutingFunction> routing;
  int ni_ports;      // of an accelerator
  int fabric_ports;  // of any network interface
  CompiledCollectives compiler;
  double flit_hops = 0;
  schedule::Schedule idle;
};

class ProgramRun {
 public:
  ProgramRun(const config::Loaded& loaded, const workload::Program& program, const std::vector<Job>& jobs,
             const GradientChain& chain, const RunOptions& options, Prepared& prepared,
             config::Fidelity fidelity, Cycles stop)
      : loaded_(loaded),
        program_(program),
        options_(options),
        prepared_(prepared),
        fidelity_(fidelity),
        stop_(stop),
        state_(loaded, program, jobs, prepared.compiler),
        passes_(loaded, program) {
    fabric::set_time_resolution();
    chain_gradients(chain);
    build_machine();
    for (ni::MessageObserver* observer : options.message_observers) log_.add_observer(*observer);
    for (fabric::FabricObserver* observer : options.fabric_observers) fabric_->add_observer(*observer);
    if (options.trace_path.empty()) return;
    trace_ = std::make_unique<TraceWriter>(options.trace_path, prepared.topology, loaded.config.system,
                                           prepared.fabric_ports);
    trace_->name_actors("accelerators");
    log_.add_observer(*trace_);
    fabric_->add_observer(*trace_);
  }

  nlohmann::ordered_json run() {
    const CostMeter cost;
    simulate();
    // At the stop credits may be under way, though all has ended.
    if (complete() && fabric_->idle()) fabric_->check_conservation();
    if (complete() && log_.completed_count() != state_.messages()) {
      throw ModelError(
          fmt::format("{} of the program's {} messages came", log_.completed_count(), state_.messages()));
    }
    if (options_.statistics != nullptr) *options_.statistics = fabric_->statistics();
    const ProgramTimeline timeline(state_, fabric_->period());
    if (trace_) {
      timeline.trace(*trace_);
      trace_->finish();
    }
    return result(timeline, cost);
  }

 private:
  const config::Config& config() const { return loaded_.config; }

  void chain_gradients(const GradientChain& chain) {
    if (chain.layers.empty()) return;
    const auto* compiled = state_.exchange(state_.context_of({chain.collective})).compiled;
    if (compiled == nullptr) return;  // of one rank: its gradients are final at once
    auto chunks = schedule::find_final_chunks(compiled->schedule);
    if (!chunks) {
      throw ModelError(fmt::format("operations wait for parts of '{}', which has no chunks that become final",
                                   compiled->schedule.algorithm));
    }
    chained_ = std::make_unique<ChainedGradients>(ChainedGradients{chain, std::move(*chunks)});
  }

  // By what passes over layers were timed, and by how much the network interfaces delayed them.
  nlohmann::ordered_json passes() const {
    const double ns = static_cast<double>(passes_.delay()) * static_cast<double>(fabric_->period()) /
                      static_cast<double>(kFemtosecondsPerNanosecond);
    return {{"formula", passes_.by_formula()},
            {"tiles", passes_.by_tiles()},
            {"delayed_ns", ns / static_cast<double>(program_.ranks.size())}};
  }

  void build_machine() {
    for (NodeId node = 0; node < prepared_.topology.num_interfaces(); ++node) {
      memories_.push_back(std::make_unique<ProgramMemory>(state_, node));
    }
    const MachineSpec spec{
        .loaded = loaded_,
        .topology = prepared_.topology,
        .routing = *prepared_.routing,
        .schedule = prepared_.idle,
        // What is cut off in a cycle is not leapt over.
        .fidelity = stop_ > 0 && fidelity_ == config::Fidelity::kLeap ? config::Fidelity::kFlit : fidelity_,
        .fabric_ports = prepared_.fabric_ports,
        .log = log_,
        .failure = failure_,
        .contents = [this](NodeId node) -> ni::GradientMemory& {
          return *memories_[static_cast<std::size_t>(node)];
        },
        .rtl_interfaces = {},
        .wave_path = {},
    };
    MachineParts parts = options_.parts;
    parts.make_accelerator = [this](NodeId node) {
      auto runner = std::make_unique<ProgramRunner>("accelerator", node, state_, passes_, chained_.get());
      runners_.push_back(runner.get());
      return runner;
    };
    machine_ = std::make_unique<Machine>("machine", spec, parts);
    fabric_ = &machine_->fabric();
    if (state_.adding()) {
      state_.on_first_joined = [this](ni::ContextId id, Cycles now) { start_adders(id, now); };
    } else {
      machine_->decouple();
    }
  }

  // Switches begin with the first of the accelerators, at once, which nodes ahead of each other could not.
  void start_adders(ni::ContextId id, Cycles now) {
    const CompiledCollective* const compiled = state_.exchange(id).compiled;
    if (compiled == nullptr) return;
    for (std::size_t i = compiled->accelerators.size(); i < compiled->interfaces.size(); ++i) {
      const NodeId node = compiled->interfaces[i];
      ni::Interface& interface = *machine_->interfaces()[static_cast<std::size_t>(node)];
      interface.load(state_.tables(id, node), now);
      interface.start_context(id, now);
    }
  }

  bool complete() const { return state_.ended() == state_.operations(); }

  void simulate() {
    const RunState state{
        .run_to = [this](Cycles cycle) { machine_->run_to(cycle); },
        .complete = [this] { return complete(); },
        .part =
            [this] {
              const auto operations = static_cast<double>(state_.operations());
              return operations > 0 ? static_cast<double>(state_.ended()) / operations : 0;
            },
        .how_far =
            [this] {
              return fmt::format("{} of {} operations have ended", state_.ended(), state_.operations());
            },
        .stuck = [](Cycles) { return kernel_is_silent(); },
        .who = [this](Cycles cycle) { return describe_waiting(cycle); },
        .between = {},
    };
    if (stop_ > 0) {
      run_stretch(state);
      return;
    }
    run_to_end(*fabric_, state, config().max_cycles, options_.interrupted, options_.progress);
  }

  // Up to stop_, complete or not.
  void run_stretch(const RunState& state) {
    constexpr Cycles kSlice = 10'000;
    for (Cycles cycle = 0; cycle < stop_ && !(complete() && fabric_->idle());) {
      if (cycle > 0 && kernel_is_silent()) {
        throw ModelError(fmt::format("deadlock at cycle {}: {} and nothing can move\n{}",
                                     fabric_->last_movement(), state.how_far(), state.who(cycle)));
      }
      cycle = std::min(cycle + kSlice, stop_);
      machine_->run_to(cycle);
      if (options_.interrupted != nullptr && options_.interrupted->load()) {
        throw Interrupted(fmt::format("interrupted at cycle {}", cycle));
      }
    }
  }

  std::string describe_waiting(Cycles cycle) const {
    constexpr int kLines = 16;
    std::string text;
    int lines = 0;
    for (const ProgramRunner* runner : runners_) {
      const std::string waiting = runner->describe_waiting(2);
      if (waiting.empty() || lines++ >= kLines) continue;
      text += waiting;
    }
    text += fabric_->describe_packets(kLines);
    lines = 0;
    for (const auto& interface : machine_->interfaces()) {
      if (lines >= kLines || interface->finished()) continue;
      text += interface->describe_waiting(cycle);
      ++lines;
    }
    return text;
  }

  nlohmann::ordered_json result(const ProgramTimeline& timeline, const CostMeter& cost) const {
    const Femtoseconds period = fabric_->period();
    const fabric::FabricStatistics& statistics = fabric_->statistics();
    nlohmann::ordered_json json;
    json["schema"] = "coppice.result/1";
    json["version"] = COPPICE_VERSION;
    config::write_config(config(), json);
    for (const std::string& assumption : program_.assumptions) json["assumptions"].push_back(assumption);
    json["program"] = {{"name", program_.name},
                       {"ranks", program_.ranks.size()},
                       {"operations", state_.operations()},
                       {"messages", state_.messages()}};
    json["verified"] = state_.verified();
    json["fidelity"] = config::to_string(fidelity_);
    json["cycles"] = state_.last();
    json["time_ns"] = static_cast<double>(state_.last()) * static_cast<double>(period) /
                      static_cast<double>(kFemtosecondsPerNanosecond);
    json["iterations"] = timeline.iterations();
    json["collectives"] = timeline.collectives();
    if (!config().program.jobs.empty() || !config().program.failures.empty()) json["jobs"] = timeline.jobs();
    json["accelerators"] = timeline.accelerators();
    if (passes_.limited()) json["passes"] = passes();
    json["flits"] = statistics.flits_injected;
    json["flit_hops"] = statistics.flit_hops;
    // What is under way at the stop counts whole.
    if (complete()) {
      json["link_utilization"] =
          link_utilization(config().system, prepared_.topology, statistics, state_.last() * period);
    }
    if (fidelity_ == config::Fidelity::kLeap) json["leap"] = leaps(state_.last(), machine_->leapt());
    json["statistics"] = collect_statistics(*machine_);
    write_statistics(options_.statistics_path, *machine_);
    json["simulator"] = cost.to_json(statistics.flit_hops);
    if (config::runs_lone_collective(config())) {
      const CompiledCollective& compiled = *state_.exchange(1).compiled;
      add_collective_fields(json, compiled, config().collective.size);
      json["ni_overhead"] =
          schedule::to_json(ni_overhead(config().system, prepared_.topology, compiled.schedule));
    }
    require_possible(json);
    return json;
  }

  // Each collective against the least time on its group's network, the channels against theirs.
  static void require_possible(const nlohmann::ordered_json& json) {
    if (json.contains("link_utilization")) {
      require_part("link_utilization.max", json["link_utilization"]["max"].get<double>());
    }
    for (const auto& collective : json["collectives"]) {
      if (!collective.contains("efficiency")) continue;
      require_part(fmt::format("efficiency of '{}'", collective["name"].get<std::string>()),
                   collective["efficiency"].get<double>());
    }
  }

  const config::Loaded& loaded_;
  const workload::Program& program_;
  const RunOptions& options_;
  Prepared& prepared_;
  config::Fidelity fidelity_;
  Cycles stop_;  // what has not ended by then is lost; 0: all ends
  ProgramState state_;
  SharedPasses passes_;
  std::unique_ptr<ChainedGradients> chained_;  // none: no operation waits for parts of a collective
  std::vector<std::unique_ptr<ProgramMemory>> memories_;  // [network interface]
  std::vector<const ProgramRunner*> runners_;             // [accelerator], the machine's
  ni::MessageLog log_;
  fabric::Failure failure_;
  std::unique_ptr<Machine> machine_;
  fabric::Fabric* fabric_ = nullptr;  // the machine's
  std::unique_ptr<TraceWriter> trace_;
};

workload::Program load_trace(const config::Loaded& loaded) {
  const config::ProgramConfig& program = loaded.config.program;
  auto imported = workload::chakra::import_chakra(program.trace, {program.groups, program.follow_control});
  imported.program.assumptions = std::move(imported.assumptions);
  return std::move(imported.program);
}

// One thing runs.
void require_one_origin(const config::Loaded& loaded) {
  const config::Config& config = loaded.config;
  std::vector<const char*> set;
  if (!config.program.jobs.empty()) set.push_back("program.jobs");
  if (!config.program.file.empty()) set.push_back("program.file");
  if (!config.program.trace.empty()) set.push_back("program.trace");
  if (!config.training.model.empty()) set.push_back("training.model");
  if (set.size() < 2) return;
  throw ConfigError(loaded.place(set[1]),
                    fmt::format("{} and {} both say what runs: leave one of them out", set[0], set[1]));
}

}  // namespace

workload::Program load_program(const config::Loaded& loaded) {
  require_one_origin(loaded);
  if (!loaded.config.program.jobs.empty()) return load_jobs(loaded);
  if (config::runs_lone_collective(loaded.config)) return make_lone_collective(loaded);
  if (config::trains_text_workload(loaded.config)) return load_text_program(loaded);
  if (config::trains_large_model(loaded.config)) return load_large_program(loaded);
  if (!loaded.config.program.trace.empty()) return load_trace(loaded);
  return config::read_program_file(loaded.config.program.file);
}

namespace {

// On a network, up to a cycle if that is above 0.
nlohmann::ordered_json run_stretch(const config::Loaded& loaded, const workload::Program& program,
                                   const std::vector<Job>& jobs, const GradientChain& chain,
                                   const RunOptions& options, const topology::Topology& network,
                                   Cycles stop) {
  const std::string key = origin(loaded);
  const auto prepared =
      within_time(loaded, key, [&] { return std::make_unique<Prepared>(loaded, program, jobs, network); });
  const auto run = [&](config::Fidelity fidelity) {
    return within_time(loaded, key, [&] {
      return ProgramRun(loaded, program, jobs, chain, options, *prepared, fidelity, stop).run();
    });
  };
  if (loaded.config.fidelity != config::Fidelity::kAuto) return run(loaded.config.fidelity);
  return run_auto(run, prepared->flit_hops, true, options.interrupted);
}

}  // namespace

nlohmann::ordered_json run_program(const config::Loaded& loaded, const workload::Program& program,
                                   const RunOptions& options, const GradientChain& chain) {
  const std::string key = origin(loaded);
  if (!options.vcd_path.empty() || !options.fst_path.empty()) {
    throw ConfigError(
        {options.vcd_path.empty() ? "--fst" : "--vcd"},
        "a program's signals are not recorded: --trace shows its operations, messages and channels");
  }
  try {
    workload::check_program(program);
  } catch (const UnsupportedError& error) {
    throw ConfigError(loaded.place(key), fmt::format("{}: {}", key, error.what()));
  }
  if (loaded.config.program.failures.empty() || !config::runs_program(loaded.config)) {
    // The training of a layer table is no program of the configuration.
    const auto jobs = config::runs_program(loaded.config)
                          ? jobs_of(loaded.config, program)
                          : std::vector<Job>{{program.name, 0, static_cast<int>(program.ranks.size()), 0}};
    return run_stretch(loaded, program, jobs, chain, options, build_topology(loaded), 0);
  }
  return run_failing(
      loaded, program, options,
      [&](const workload::Program& left, const std::vector<Job>& jobs, const topology::Topology& network,
          Cycles stop) { return run_stretch(loaded, left, jobs, chain, options, network, stop); });
}

std::string summarize_program(const nlohmann::ordered_json& result) {
  const auto& program = result["program"];
  std::string text =
      fmt::format("{} operations on {} ranks: {} cycles, {:.1f} ns ({} fidelity, verified: {})\n",
                  program["operations"].get<std::int64_t>(), program["ranks"].get<std::int64_t>(),
                  result["cycles"].get<Cycles>(), result["time_ns"].get<double>(),
                  result["fidelity"].get<std::string>(), result["verified"].get<std::string>());
  if (result.contains("fidelity_reason")) {
    text += fmt::format("  no trains: {}\n", result["fidelity_reason"].get<std::string>());
  }
  for (const auto& failure : result.value("failures", nlohmann::ordered_json::array())) {
    text += fmt::format("  {:.1f} ns: {} failed: {}\n", failure["at_ns"].get<double>(),
                        failure["failed"].get<std::string>(), failure["effect"].get<std::string>());
  }
  for (const auto& job : result.value("jobs", nlohmann::ordered_json::array())) {
    text += fmt::format(
        "  {}: ended at {:.1f} ns{}\n", job["name"].get<std::string>(), job["end_ns"].get<double>(),
        job.contains("unfinished")
            ? fmt::format(", unfinished after {} of {} iterations: {}", job["iterations"].size(),
                          job["of"].get<int>(), job["unfinished"].get<std::string>())
            : "");
  }
  constexpr std::size_t kMostLines = 8;
  std::size_t number = 0;
  for (const auto& iteration : result["iterations"]) {
    if (number++ == kMostLines) {
      text += fmt::format("  and {} more iterations\n", result["iterations"].size() - kMostLines);
      break;
    }
    const double time = std::max(1e-9, iteration["time_ns"].get<double>());
    const auto part = [&](const char* name) { return 100 * iteration[name].get<double>() / time; };
    text += fmt::format(
        "  iteration {}: {:.1f} ns: {:.1f}% compute, {:.1f}% memory, {:.1f}% exposed "
        "communication, {:.1f}% waiting for others, {:.1f}% idle\n",
        number, iteration["time_ns"].get<double>(), part("compute_ns"), part("memory_ns"), part("exposed_ns"),
        part("bubble_ns"), part("idle_ns"));
    for (const auto& [kind, ns] : iteration["exposed"].items()) {
      text += fmt::format("    exposed {:<14} {:>14.1f} ns\n", kind, ns.get<double>());
    }
  }
  if (result.contains("bound")) {
    text += fmt::format("  algorithm bandwidth {:.2f} GB/s, bus bandwidth {:.2f} GB/s, efficiency {:.1f}%\n",
                        result["algbw_gb_s"].get<double>(), result["busbw_gb_s"].get<double>(),
                        100 * result["efficiency"].get<double>());
  }
  text += fmt::format("  {} collectives and transfers", result["collectives"].size());
  if (result.contains("link_utilization")) {
    text += fmt::format(", link utilization {:.1f}% mean, {:.1f}% max",
                        100 * result["link_utilization"]["mean"].get<double>(),
                        100 * result["link_utilization"]["max"].get<double>());
  }
  text += "\n";
  if (result.contains("passes")) {
    const auto& passes = result["passes"];
    text += fmt::format(
        "  {} passes by the formula, {} tile by tile, which lost {:.1f} ns of an accelerator to "
        "its network interface\n",
        passes["formula"].get<std::int64_t>(), passes["tiles"].get<std::int64_t>(),
        passes["delayed_ns"].get<double>());
  }
  const auto& simulator = result["simulator"];
  text +=
      fmt::format("  simulated {} flit-hops{} in {:.2f} s ({:.0f} MiB)\n",
                  result["flit_hops"].get<std::int64_t>(), result["fidelity"] == "train" ? " as trains" : "",
                  simulator["wall_s"].get<double>(), simulator["peak_rss_bytes"].get<double>() / 1048576.0);
  return text;
}

}  // namespace coppice::system
