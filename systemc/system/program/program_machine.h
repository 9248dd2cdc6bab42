#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/loader.h"
#include "fabric/failure.h"
#include "ni/issue/route_override.h"
#include "ni/memory/message_record.h"
#include "schedule/tables/schedule.h"
#include "system/machine/machine.h"
#include "system/machine/run_loop.h"
#include "system/machine/run_options.h"
#include "system/output/run_profile.h"
#include "system/output/trace_writer.h"
#include "system/output/vcd_probe.h"
#include "system/program/collective_gate.h"
#include "system/program/compiled_collectives.h"
#include "system/program/folding/quotient_network.h"
#include "system/program/gradient_chain.h"
#include "system/program/job_programs.h"
#include "system/program/program_observers.h"
#include "system/program/program_runner.h"
#include "system/program/program_state.h"
#include "system/program/shared_passes.h"
#include "topology/routing/routing.h"
#include "topology/topology.h"
#include "workload/large_training.h"
#include "workload/program.h"

namespace coppice::system {

// A compiled program, and everything else that can be prepared without SystemC before the first cycle.
class PreparedProgram {
 public:
  // Compiles all collectives and proves that their messages cannot deadlock. `key`: the configuration key of
  // the program, at which a ConfigError is thrown. `own_routing`: nullptr to use the network's default
  // routing. References must outlive this object.
  PreparedProgram(const config::Loaded& loaded, const std::string& key, const workload::Program& program,
                  const std::vector<Job>& jobs, topology::Topology network,
                  std::unique_ptr<topology::RoutingFunction> own_routing = nullptr,
                  GroupRouting ways = GroupRouting::kOwnNetwork,
                  std::optional<int> pattern_beyond = std::nullopt);
  // Prepares the program of one copy on its quotient network, with collectives compiled by `folded`.
  PreparedProgram(const config::Loaded& loaded, const std::string& key, const workload::Program& program,
                  const std::vector<Job>& jobs, const topology::Topology& network, int ports,
                  std::unique_ptr<CollectiveSource> folded);

  // The tables that network interfaces have from the start: those of `only`, or empty ones.
  const schedule::Schedule& tables() const { return only == nullptr ? idle_ : only->schedule; }

  topology::Topology topology;
  std::unique_ptr<topology::RoutingFunction> routing;
  int ni_ports;      // per accelerator
  int fabric_ports;  // per network interface
  // Whether the program is one collective that all accelerators join at the start. Network interfaces then
  // have its tables from the start and need no contexts.
  bool alone;
  std::unique_ptr<CollectiveSource> compiler;
  const CompiledCollective* only = nullptr;  // the collective, if the program is `alone`
  double flit_hops = 0;                      // sum over all messages

 private:
  void require_time(const ProgramState& state) const;
  void prepare_tables(const ProgramState& state);

  schedule::Schedule idle_;  // empty tables
};

// The copies of a program, only one of which is simulated. All references must outlive the run.
struct FoldedCopies {
  const topology::Topology& machine;
  const QuotientNetwork& quotient;
  const workload::ReplicatedProgram& replicated;
  bool per_accelerator = false;  // as in RunOptions
};

// A program and the settings for its run. The machine refers to all of these objects, so it must not outlive
// them.
struct ProgramSetup {
  const config::Loaded& loaded;
  const workload::Program& program;
  const std::vector<Job>& jobs;
  PreparedProgram& prepared;
  config::Fidelity fidelity;
  const GradientChain* chain = nullptr;     // nullptr: no operation waits for parts of a collective
  CollectiveGate* gate = nullptr;           // nullptr: collectives begin as soon as they are joined
  const ni::PathTable* paths = nullptr;     // nullptr: messages follow their schedules' routes
  std::function<std::string()> how_far{};   // describes progress, as in RunState; empty: counts operations
  fabric::Meetings* meetings = nullptr;     // as in MachineSpec
  const SymmetricRun* symmetric = nullptr;  // as in MachineSpec, for a collective that is `alone`
  const FoldedCopies* copies = nullptr;     // nullptr: the program represents only itself
  Cycles stop = 0;  // the cycle in which the run ends and unfinished work is lost; 0: never
  // Whether work may be added in any cycle, so that nodes must not run ahead of each other.
  bool grows = false;
};

// The machine that runs a program in a simulation.
class ProgramMachine {
 public:
  // A process can construct only one machine, since this elaborates a SystemC kernel.
  ProgramMachine(const ProgramSetup& setup, const RunOptions& options);

  // Runs to the end of the program or to setup.stop. Throws Interrupted, exceptions of modules, and
  // ModelError for a deadlock, for wrong or missing data, or if the run exceeds max_cycles.
  void run();
  bool complete() const {
    return prepared_.alone ? log_.completed_count() == state_.messages()
                           : state_.ended() == state_.operations();
  }

  const ProgramState& state() const { return state_; }
  const SharedPasses& passes() const { return passes_; }
  const Machine& machine() const { return *machine_; }

  // For a growing program (ProgramSetup::grows): the owner simulates it with these functions instead of
  // run(), and without observers.
  ProgramState& state() { return state_; }
  ProgramRunner& runner(topology::NodeId accelerator) {
    return *runners_[static_cast<std::size_t>(accelerator)];
  }
  Machine& machine() { return *machine_; }
  // Lists unfinished operations, packets and interfaces with what each is waiting for, one per line.
  std::string describe_waiting(Cycles cycle) const;

  fabric::Fabric& fabric() { return machine_->fabric(); }
  const fabric::Fabric& fabric() const { return machine_->fabric(); }
  fabric::RouteChanges* route_changes() { return machine_->route_changes(); }
  ni::MessageLog& log() { return log_; }
  // Receives exceptions of modules that are outside the machine.
  fabric::Failure& failure() { return failure_; }
  // The trace for options.trace_path; nullptr if there is no such path. After adding all events, the caller
  // must call finish().
  TraceWriter* trace() { return trace_.get(); }
  const ProgramObservers& observers() const { return *observers_; }
  // nullptr unless options.record is set.
  RunProfile* profile() const { return profile_.get(); }

 private:
  void chain_gradients(const GradientChain& chain);
  void build_machine();
  MachineParts parts();
  void observe();
  void start_adders(ni::ContextId id, Cycles now);
  void simulate();
  void settle();
  bool stuck(Cycles cycle) const;
  std::string how_far() const;
  std::vector<const ni::Interface*> shown() const;

  const ProgramSetup setup_;
  const RunOptions& options_;
  PreparedProgram& prepared_;
  ProgramState state_;
  SharedPasses passes_;
  bool verilog_;                               // whether network interfaces are Verilog
  std::unique_ptr<ChainedGradients> chained_;  // nullptr: no operation waits for parts of a collective
  std::vector<std::unique_ptr<ProgramMemory>> memories_;  // [network interface]: the memory that it accesses
  std::vector<ProgramRunner*> runners_;                   // [accelerator]; owned by the machine
  ni::MessageLog log_;
  fabric::Failure failure_;
  std::unique_ptr<Machine> machine_;
  std::unique_ptr<ProgramObservers> observers_;
  std::unique_ptr<TraceWriter> trace_;
  std::unique_ptr<RunProfile> profile_;
  std::unique_ptr<VcdProbe> vcd_;
  Cycles end_ = 0;  // the last cycle of the simulation
};

}  // namespace coppice::system
