#include "system/program/program_machine.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "base/time_limit.h"
#include "config/settings/shape.h"
#include "fabric/sim_time.h"
#include "schedule/tables/final_chunks.h"
#include "system/machine/build.h"
#include "system/program/verilog_program.h"

namespace coppice::system {
namespace {

using topology::NodeId;

void require_room(const config::Loaded& loaded, const std::string& key, const topology::Topology& topology,
                  const workload::Program& program) {
  const int accelerators = topology.num_accelerators();
  for (std::size_t rank = 0; rank < program.ranks.size(); ++rank) {
    const NodeId at = program.placement.empty() ? static_cast<NodeId>(rank) : program.placement[rank];
    if (at < accelerators) continue;
    throw ConfigError(
        loaded.place(key),
        fmt::format("the program places rank {} on accelerator {}, but {} has accelerators 0 to {}", rank, at,
                    topology.name(), accelerators - 1));
  }
  const std::size_t jitter = loaded.config.program.jitter.size();
  if (jitter > 1 && jitter != program.ranks.size()) {
    throw ConfigError(
        loaded.place("program.jitter"),
        fmt::format("program.jitter lists {} factors for {} ranks: write one factor, or one for every rank",
                    jitter, program.ranks.size()));
  }
}

void require_routers(const config::Loaded& loaded) {
  if (loaded.config.system.router.impl != config::Implementation::kRtl) return;
  throw ConfigError(
      loaded.place("system.router.impl"),
      "system.router.impl: rtl supports only a single collective, not a program: write systemc");
}

// The routing of networks on which every message carries its route; it is never asked for a hop.
class SourceRouted final : public topology::RoutingFunction {
 public:
  explicit SourceRouted(int vcs) : vcs_(vcs) {}
  topology::Hop next_hop(NodeId at, NodeId dst, topology::RouteState& /*state*/,
                         int /*ejection_port*/) const override {
    throw ModelError(fmt::format("a message from {} to {} has no route", at, dst));
  }
  int num_tie_bits() const override { return 0; }
  int num_vcs() const override { return vcs_; }

 private:
  int vcs_;
};

// Whether the program is a single collective that all accelerators join at the start.
bool is_one_collective(const config::Loaded& loaded, const workload::Program& program,
                       const std::vector<Job>& jobs, int accelerators) {
  if (program.collectives.size() != 1 || !program.transfers.empty()) return false;
  if (static_cast<int>(program.ranks.size()) != accelerators) return false;
  if (!loaded.config.program.failures.empty() && config::runs_program(loaded.config)) return false;
  if (accelerators < 2 && !program.collectives.front().as_configured) return false;
  return std::ranges::all_of(jobs, [](const Job& job) { return job.arrival == 0; }) &&
         std::ranges::all_of(program.ranks, [](const workload::RankProgram& rank) {
           return rank.operations.size() == 1 &&
                  std::holds_alternative<workload::JoinCollective>(rank.operations.front().work);
         });
}

}  // namespace

PreparedProgram::PreparedProgram(const config::Loaded& loaded, const std::string& key,
                                 const workload::Program& program, const std::vector<Job>& jobs,
                                 topology::Topology network,
                                 std::unique_ptr<topology::RoutingFunction> own_routing, GroupRouting ways,
                                 std::optional<int> pattern_beyond)
    : topology(std::move(network)),
      routing(own_routing != nullptr ? std::move(own_routing) : build_routing(loaded, topology)),
      ni_ports(resolve_ni_ports(loaded.config, topology)),
      fabric_ports(ni_ports),
      alone(ways == GroupRouting::kOwnNetwork &&
            is_one_collective(loaded, program, jobs, topology.num_accelerators())),
      compiler(std::make_unique<CompiledCollectives>(
          loaded, topology, *routing,
          CompileOptions{.ways = ways, .alone = alone, .pattern_beyond = pattern_beyond})) {
  require_room(loaded, key, topology, program);
  // The constructor of ProgramState compiles all collectives and stores the results in the compiler.
  const ProgramState state(loaded, program, jobs, *compiler);
  if (alone) {
    only = state.exchange(1).compiled;
  } else {
    require_routers(loaded);
    compiler->require_deadlock_free();
  }
  flit_hops = state.flit_hops();
  require_time(state);
  if (runs_in_verilog(loaded)) {
    if (alone) {
      require_verilog_runs(loaded, *only, state.verified(), topology, ni_ports);
    } else {
      require_verilog_runs(loaded, key, program, jobs, topology, ni_ports, state);
    }
  }
  prepare_tables(state);
}

PreparedProgram::PreparedProgram(const config::Loaded& loaded, const std::string& key,
                                 const workload::Program& program, const std::vector<Job>& jobs,
                                 const topology::Topology& network, int ports,
                                 std::unique_ptr<CollectiveSource> folded)
    : topology(network),
      routing(std::make_unique<SourceRouted>(loaded.config.system.router.vcs)),
      ni_ports(ports),
      fabric_ports(ports),
      alone(false),
      compiler(std::move(folded)) {
  require_room(loaded, key, topology, program);
  const ProgramState state(loaded, program, jobs, *compiler);
  compiler->require_deadlock_free();
  flit_hops = state.flit_hops();
  require_time(state);
  prepare_tables(state);
}

void PreparedProgram::require_time(const ProgramState& state) const {
  constexpr std::int64_t kLongestNs = kLongestTime / kFemtosecondsPerNanosecond;
  for (ni::ContextId id = 1; id <= state.exchanges(); ++id) {
    const CompiledCollective* const compiled = state.exchange(id).compiled;
    if (compiled != nullptr && compiled->least_ns > static_cast<double>(kLongestNs)) {
      throw TimeLimitError("the collective, with any schedule,");
    }
  }
}

// Prepares the tables that network interfaces have from the start. Reducing switches have one port per
// accelerator.
void PreparedProgram::prepare_tables(const ProgramState& state) {
  if (alone) {
    for (const schedule::NodeTables& node : only->schedule.nodes) {
      fabric_ports = std::max(fabric_ports, static_cast<int>(node.ports.size()));
    }
    return;
  }
  idle_.nodes.resize(static_cast<std::size_t>(topology.num_interfaces()));
  for (auto& node : idle_.nodes) node.ports.resize(static_cast<std::size_t>(ni_ports));
  for (ni::ContextId id = 1; id <= state.program().collectives.size(); ++id) {
    const CompiledCollective* const compiled = state.exchange(id).compiled;
    if (compiled == nullptr) continue;
    for (std::size_t i = compiled->accelerators.size(); i < compiled->interfaces.size(); ++i) {
      const std::size_t ports = compiled->schedule.nodes[i].ports.size();
      idle_.nodes[static_cast<std::size_t>(compiled->interfaces[i])].ports.resize(ports);
      fabric_ports = std::max(fabric_ports, static_cast<int>(ports));
    }
  }
}

ProgramMachine::ProgramMachine(const ProgramSetup& setup, const RunOptions& options)
    : setup_(setup),
      options_(options),
      prepared_(setup.prepared),
      state_(setup.loaded, setup.program, setup.jobs, *setup.prepared.compiler),
      passes_(setup.loaded, setup.program),
      verilog_(runs_in_verilog(setup.loaded)) {
  if (verilog_ || prepared_.alone) state_.keep_data();
  fabric::set_time_resolution();
  if (setup.chain != nullptr) chain_gradients(*setup.chain);
  build_machine();
  if (!setup.grows) observe();
}

void ProgramMachine::observe() {
  const config::Config& config = setup_.loaded.config;
  observers_ =
      std::make_unique<ProgramObservers>(state_, prepared_.topology, config.system, prepared_.ni_ports);
  observers_->attach(log_, fabric());
  for (ni::MessageObserver* observer : options_.message_observers) log_.add_observer(*observer);
  for (fabric::FabricObserver* observer : options_.fabric_observers) fabric().add_observer(*observer);
  if (options_.final_values) {
    state_.on_verified = [this](const CompiledCollective& compiled, Verification& verification) {
      for (std::size_t member = 0; member < compiled.accelerators.size(); ++member) {
        const auto* memory =
            dynamic_cast<const ni::ValueMemory*>(&verification.memory(static_cast<NodeId>(member)));
        if (memory != nullptr) options_.final_values(compiled.accelerators[member], memory->values());
      }
    };
  }
  if (options_.record) {
    const workload::Program& program = setup_.program;
    profile_ = std::make_unique<RunProfile>(prepared_.topology, config.system, fabric(),
                                            program.collectives.size() == 1 && program.transfers.empty());
    log_.add_observer(*profile_);
    // Observing every flit would take longer than simulating it, so flits are sampled.
    const bool moves_flits = setup_.fidelity == config::Fidelity::kFlit ||
                             setup_.fidelity == config::Fidelity::kLeap ||
                             (setup_.meetings != nullptr && !setup_.meetings->given().empty());
    if (!moves_flits) {
      fabric().add_observer(*profile_);
    } else {
      profile_->sample_from(0);
    }
  }
  if (!options_.trace_path.empty()) {
    trace_ = std::make_unique<TraceWriter>(options_.trace_path, prepared_.topology, config.system,
                                           prepared_.fabric_ports);
    log_.add_observer(*trace_);
    fabric().add_observer(*trace_);
  }
  if (!options_.vcd_path.empty()) {
    vcd_ =
        std::make_unique<VcdProbe>("vcd", options_.vcd_path, prepared_.topology, fabric().period(), shown());
    fabric().add_observer(*vcd_);
  }
}

// The network interfaces that a value change dump shows.
std::vector<const ni::Interface*> ProgramMachine::shown() const {
  std::vector<const ni::Interface*> chosen;
  const int accelerators = prepared_.topology.num_accelerators();
  for (const int node : setup_.loaded.config.observe_nodes) {
    if (node < 0 || node >= accelerators) {
      throw ConfigError(
          setup_.loaded.place("observe.nodes"),
          fmt::format("observe.nodes: accelerator {} does not exist: {} has accelerators 0 to {}", node,
                      prepared_.topology.name(), accelerators - 1));
    }
    chosen.push_back(machine_->interfaces()[static_cast<std::size_t>(node)].get());
  }
  return chosen;
}

void ProgramMachine::chain_gradients(const GradientChain& chain) {
  if (chain.layers.empty()) return;
  if (verilog_) {
    throw ConfigError(setup_.loaded.place("system.ni.impl"),
                      "system.ni.impl: operations wait for parts of a collective, which a Verilog network "
                      "interface does not report: write systemc");
  }
  const auto* compiled = state_.exchange(state_.context_of({chain.collective})).compiled;
  if (compiled == nullptr) return;  // a single rank moves no data, so its gradients are final immediately
  auto chunks = schedule::find_final_chunks(compiled->schedule);
  if (!chunks) {
    throw ModelError(
        fmt::format("operations wait for parts of '{}', whose chunks do not become final individually",
                    compiled->schedule.algorithm));
  }
  chained_ = std::make_unique<ChainedGradients>(ChainedGradients{chain, std::move(*chunks)});
}

void ProgramMachine::build_machine() {
  if (!prepared_.alone) {
    for (NodeId node = 0; node < prepared_.topology.num_interfaces(); ++node) {
      memories_.push_back(std::make_unique<ProgramMemory>(state_, node));
    }
  }
  // Use flits without leaps for a run with a stop, since a leap could skip the cycle of the stop.
  const bool leaps = setup_.fidelity == config::Fidelity::kLeap;
  const bool adding = state_.adding() && !prepared_.alone;
  // Nodes may run ahead of each other unless a value change dump samples all of them in every cycle.
  const bool decoupled = !adding && setup_.gate == nullptr && !setup_.grows && options_.vcd_path.empty();
  const MachineSpec spec{
      .loaded = setup_.loaded,
      .topology = prepared_.topology,
      .routing = *prepared_.routing,
      .schedule = prepared_.tables(),
      .fidelity = setup_.stop > 0 && leaps ? config::Fidelity::kFlit : setup_.fidelity,
      .fabric_ports = prepared_.fabric_ports,
      .log = log_,
      .failure = failure_,
      .contents = [this](NodeId node) -> ni::GradientMemory& {
        return prepared_.alone ? state_.memory(1, node) : *memories_[static_cast<std::size_t>(node)];
      },
      .rtl_interfaces = verilog_accelerators(setup_.loaded, prepared_.topology),
      .rtl_contexts = verilog_ && !prepared_.alone,
      .wave_path = options_.fst_path,
      .paths = setup_.paths,
      .threads = decoupled ? threads_for(state_.flit_hops(), options_.threads) : 1,
      .symmetric = setup_.symmetric,
      .meetings = setup_.meetings,
      .stop = setup_.stop,
  };
  machine_ = std::make_unique<Machine>("machine", spec, parts());
  if (adding) state_.on_first_joined = [this](ni::ContextId id, Cycles now) { start_adders(id, now); };
  if (decoupled) machine_->decouple();
  if (machine_->threads() > 1) state_.share_among_threads();
}

// For a single collective, accelerators are the machine's own or user-defined modules; otherwise they are
// ProgramRunners.
MachineParts ProgramMachine::parts() {
  MachineParts parts = options_.parts;
  if (prepared_.alone) return parts;
  parts.fit_for_threads = !parts.make_memory || parts.fit_for_threads;
  parts.make_accelerator = [this](NodeId node) {
    auto runner =
        std::make_unique<ProgramRunner>("accelerator", node, state_, passes_, chained_.get(), setup_.gate);
    runners_.push_back(runner.get());
    return runner;
  };
  return parts;
}

// Starts a collective at its reducing switches in the cycle in which the first accelerator starts it. This
// requires that nodes do not run ahead of each other.
void ProgramMachine::start_adders(ni::ContextId id, Cycles now) {
  const CompiledCollective* const compiled = state_.exchange(id).compiled;
  if (compiled == nullptr) return;
  for (std::size_t i = compiled->accelerators.size(); i < compiled->interfaces.size(); ++i) {
    const NodeId node = compiled->interfaces[i];
    ni::Interface& interface = *machine_->interfaces()[static_cast<std::size_t>(node)];
    interface.load(state_.tables(id, node), now);
    interface.start_context(id, now);
  }
}

void ProgramMachine::run() {
  try {
    simulate();
    if (verilog_ || prepared_.alone) settle();
  } catch (const ni::WrongDataError& error) {
    if (!prepared_.alone) throw;
    state_.refuse_data(1, error);
  }
  // After a stop, credits may still be in flight even if all operations have ended.
  if (complete() && fabric().idle()) fabric().check_conservation();
  if (prepared_.alone) state_.ended_alone(observers_->ends());
  if (verilog_ || prepared_.alone) state_.verify_kept();
  if (complete() && log_.completed_count() != state_.messages()) {
    throw ModelError(fmt::format("only {} of the program's {} messages arrived", log_.completed_count(),
                                 state_.messages()));
  }
  if (vcd_) vcd_->finish();
  if (options_.statistics != nullptr) *options_.statistics = fabric().statistics();
}

// Lets reduction units finish: after the last message has arrived, sums of flits may still be in them.
void ProgramMachine::settle() {
  constexpr Cycles kSettle = 1000;
  if (setup_.fidelity == config::Fidelity::kFlit || setup_.fidelity == config::Fidelity::kLeap) {
    machine_->run_to(end_ + kSettle);
  }
  for (const auto& interface : machine_->interfaces()) interface->settle();
}

void ProgramMachine::simulate() {
  Cycles now = 0;
  RunState state{
      .run_to =
          [this, &now](Cycles cycle) {
            machine_->run_to(cycle);
            now = cycle;
          },
      .complete = [this] { return complete(); },
      .part =
          [this] {
            const auto done = static_cast<double>(prepared_.alone ? log_.completed_count() : state_.ended());
            const auto all = static_cast<double>(prepared_.alone ? state_.messages() : state_.operations());
            return all > 0 ? done / all : 0;
          },
      .how_far = [this] { return how_far(); },
      .stuck = [this](Cycles cycle) { return stuck(cycle); },
      .who = [this](Cycles cycle) { return describe_waiting(cycle); },
      .between =
          [this, &now] {
            if (vcd_ && complete()) vcd_->stop();
            if (profile_) profile_->sample_if_due(now);
          },
  };
  // If there is a stop, run up to it even if the program is unfinished.
  if (setup_.stop > 0) {
    state.next_look = [this](Cycles) { return setup_.stop; };
    state.ended = [this, &now] { return now >= setup_.stop || (complete() && fabric().idle()); };
  }
  end_ =
      run_to_end(fabric(), state, setup_.loaded.config.max_cycles, options_.interrupted, options_.progress);
}

std::string ProgramMachine::how_far() const {
  if (setup_.how_far) return setup_.how_far();
  return prepared_.alone
             ? fmt::format("{} of {} messages have arrived", log_.completed_count(), state_.messages())
             : fmt::format("{} of {} operations have finished", state_.ended(), state_.operations());
}

// Whether the run is deadlocked. The clock of a value change dump keeps the kernel busy, so a run with such a
// dump counts as stuck if no accelerator computes and nothing has moved for a long time.
bool ProgramMachine::stuck(Cycles cycle) const {
  if (!vcd_) return kernel_is_silent();
  constexpr Cycles kPatience = 10'000'000;
  const bool computes =
      std::ranges::any_of(runners_, [](const ProgramRunner* runner) { return runner->expects(); });
  return !computes && cycle - std::max(fabric().last_movement(), observers_->last()) > kPatience;
}

std::string ProgramMachine::describe_waiting(Cycles cycle) const {
  constexpr int kLines = 16;
  std::string text;
  int lines = 0;
  for (const ProgramRunner* runner : runners_) {
    const std::string waiting = runner->describe_waiting(2);
    if (waiting.empty() || lines++ >= kLines) continue;
    text += waiting;
  }
  text += fabric().describe_packets(kLines);
  lines = 0;
  for (const auto& interface : machine_->interfaces()) {
    if (lines >= kLines || interface->finished()) continue;
    text += interface->describe_waiting(cycle);
    ++lines;
  }
  return text;
}

}  // namespace coppice::system
