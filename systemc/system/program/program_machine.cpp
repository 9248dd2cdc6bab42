#include "system/program/program_machine.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"
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
  if (loaded.config.system.router.impl == config::Implementation::kRtl) {
    throw ConfigError(loaded.place("system.router.impl"),
                      "system.router.impl: rtl runs a single collective, not a program: write systemc");
  }
}

}  // namespace

PreparedProgram::PreparedProgram(const config::Loaded& loaded, const std::string& key,
                                 const workload::Program& program, const std::vector<Job>& jobs,
                                 topology::Topology network,
                                 std::unique_ptr<topology::RoutingFunction> own_routing, GroupWays ways)
    : topology(std::move(network)),
      routing(own_routing != nullptr ? std::move(own_routing) : build_routing(loaded, topology)),
      ni_ports(resolve_ni_ports(loaded.config, topology)),
      fabric_ports(ni_ports),
      compiler(loaded, topology, *routing, ways) {
  require_room(loaded, key, topology, program);
  // Compiles all of them.
  const ProgramState state(loaded, program, jobs, compiler);
  flit_hops = state.flit_hops();
  compiler.require_deadlock_free();
  if (runs_in_verilog(loaded)) require_verilog_runs(loaded, key, program, jobs, topology, ni_ports, state);
  // Interfaces begin without tables of their own.
  idle.nodes.resize(static_cast<std::size_t>(topology.num_interfaces()));
  for (auto& node : idle.nodes) node.ports.resize(static_cast<std::size_t>(ni_ports));
  give_adders_ports(state);
}

// Switches that add have a port for every accelerator.
void PreparedProgram::give_adders_ports(const ProgramState& state) {
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

ProgramMachine::ProgramMachine(const ProgramSetup& setup, const RunOptions& options)
    : setup_(setup),
      options_(options),
      prepared_(setup.prepared),
      state_(setup.loaded, setup.program, setup.jobs, setup.prepared.compiler),
      passes_(setup.loaded, setup.program),
      verilog_(runs_in_verilog(setup.loaded)) {
  if (verilog_) state_.keep_data();
  fabric::set_time_resolution();
  if (setup.chain != nullptr) chain_gradients(*setup.chain);
  build_machine();
  for (ni::MessageObserver* observer : options.message_observers) log_.add_observer(*observer);
  for (fabric::FabricObserver* observer : options.fabric_observers) fabric().add_observer(*observer);
  if (options.trace_path.empty()) return;
  trace_ = std::make_unique<TraceWriter>(options.trace_path, prepared_.topology, setup.loaded.config.system,
                                         prepared_.fabric_ports);
  log_.add_observer(*trace_);
  fabric().add_observer(*trace_);
}

void ProgramMachine::chain_gradients(const GradientChain& chain) {
  if (chain.layers.empty()) return;
  if (verilog_) {
    throw ConfigError(
        setup_.loaded.place("system.ni.impl"),
        "system.ni.impl: operations wait for parts of a collective, which a network interface in "
        "Verilog does not tell of: write systemc");
  }
  const auto* compiled = state_.exchange(state_.context_of({chain.collective})).compiled;
  if (compiled == nullptr) return;  // of one rank: its gradients are final at once
  auto chunks = schedule::find_final_chunks(compiled->schedule);
  if (!chunks) {
    throw ModelError(fmt::format("operations wait for parts of '{}', which has no chunks that become final",
                                 compiled->schedule.algorithm));
  }
  chained_ = std::make_unique<ChainedGradients>(ChainedGradients{chain, std::move(*chunks)});
}

void ProgramMachine::build_machine() {
  for (NodeId node = 0; node < prepared_.topology.num_interfaces(); ++node) {
    memories_.push_back(std::make_unique<ProgramMemory>(state_, node));
  }
  // What is cut off in a cycle is not leapt over.
  const bool leaps = setup_.fidelity == config::Fidelity::kLeap;
  const MachineSpec spec{
      .loaded = setup_.loaded,
      .topology = prepared_.topology,
      .routing = *prepared_.routing,
      .schedule = prepared_.idle,
      .fidelity = setup_.stop > 0 && leaps ? config::Fidelity::kFlit : setup_.fidelity,
      .fabric_ports = prepared_.fabric_ports,
      .log = log_,
      .failure = failure_,
      .contents = [this](NodeId node) -> ni::GradientMemory& {
        return *memories_[static_cast<std::size_t>(node)];
      },
      .rtl_interfaces =
          std::vector<bool>(static_cast<std::size_t>(prepared_.topology.num_accelerators()), verilog_),
      .rtl_contexts = verilog_,
      .wave_path = {},
      .paths = setup_.paths,
      .threads = threads_for(state_.flit_hops(), options_.threads),
      .meetings = setup_.meetings,
  };
  MachineParts parts = options_.parts;
  parts.fit_for_threads = !parts.make_memory || parts.fit_for_threads;
  parts.make_accelerator = [this](NodeId node) {
    auto runner =
        std::make_unique<ProgramRunner>("accelerator", node, state_, passes_, chained_.get(), setup_.gate);
    runners_.push_back(runner.get());
    return runner;
  };
  machine_ = std::make_unique<Machine>("machine", spec, parts);
  if (state_.adding()) {
    state_.on_first_joined = [this](ni::ContextId id, Cycles now) { start_adders(id, now); };
  } else if (setup_.gate == nullptr) {
    machine_->decouple();
  }
}

// Switches begin with the first of the accelerators, at once, which nodes ahead of each other could not.
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
  simulate();
  if (verilog_) {
    // Sums of flits that came at once may still wait in a reduction unit when their messages count.
    constexpr Cycles kSettle = 1000;
    machine_->run_to(end_ + kSettle);
    state_.verify_kept();
  }
  // At the stop credits may be under way, though all has ended.
  if (complete() && fabric().idle()) fabric().check_conservation();
  if (complete() && log_.completed_count() != state_.messages()) {
    throw ModelError(
        fmt::format("{} of the program's {} messages came", log_.completed_count(), state_.messages()));
  }
  if (options_.statistics != nullptr) *options_.statistics = fabric().statistics();
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
            const auto operations = static_cast<double>(state_.operations());
            return operations > 0 ? static_cast<double>(state_.ended()) / operations : 0;
          },
      .how_far =
          [this] {
            if (setup_.how_far) return setup_.how_far();
            return fmt::format("{} of {} operations have ended", state_.ended(), state_.operations());
          },
      .stuck = [](Cycles) { return kernel_is_silent(); },
      .who = [this](Cycles cycle) { return describe_waiting(cycle); },
      .between = {},
  };
  // Up to the stop, complete or not.
  if (setup_.stop > 0) {
    state.next_look = [this](Cycles) { return setup_.stop; };
    state.ended = [this, &now] { return now >= setup_.stop || (complete() && fabric().idle()); };
  }
  end_ =
      run_to_end(fabric(), state, setup_.loaded.config.max_cycles, options_.interrupted, options_.progress);
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
