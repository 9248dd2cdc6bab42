#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <queue>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "accelerator/accelerator_module.h"
#include "accelerator/layer_engine.h"
#include "ni/interface.h"
#include "ni/issue/gradient_queue_module.h"
#include "ni/wake_scheduler.h"
#include "system/program/collective_gate.h"
#include "system/program/gradient_chain.h"
#include "system/program/program_state.h"
#include "system/program/shared_passes.h"

namespace coppice::system {

// A forward pass that is chained to an all-reduce, and the chunks for which its layers wait.
struct ChainedGradients {
  GradientChain chain;
  schedule::FinalChunks chunks;
};

// An accelerator that runs one rank of a program. It executes one computation and one memory access at a
// time, in the order in which they become ready, or in program order if several become ready at once. It
// joins collectives, sends and receives through its network interface. An operation begins in the cycle in
// which its last predecessor ends, if its resource is free.
//
// The interface has system.ni.contexts contexts for collectives. Tables are loaded into them one at a time,
// at system.ni.table_load cycles per entry, unless a context still holds them. The rank's first collectives
// are loaded before the program begins, and later ones ahead of time if a context is free. If no context is
// free, a collective that is joined but not loaded replaces the rank's last collective that is loaded but not
// joined. Sends and receives need no context. Layers of a chained forward pass wait for the gradient queue,
// which is between the network interface and the accelerator's other units.
//
// A collective or transfer that is called in cycle c begins in cycle c + system.ni.launch.
class ProgramRunner final : public accelerator::AcceleratorModule, private ni::WakeScheduler::Sleeper {
 public:
  // All references and pointees must outlive this object. `chained`: nullptr if no operation waits for parts
  // of a collective. `gate`: nullptr if collectives begin as soon as they are joined.
  ProgramRunner(const sc_core::sc_module_name& name, topology::NodeId accelerator, ProgramState& state,
                SharedPasses& passes, const ChainedGradients* chained, CollectiveGate* gate = nullptr);

  // The runner acts at its node's time, except that tiles are simulated at the kernel's time.
  bool starts_at_once() const override { return engine_ == nullptr; }
  bool wants_alarm() const override { return true; }
  void attach(ni::WakeScheduler& alarm, ni::Interface& interface) override;

  // Adds the rank's operation with index `operation`, which must be a collective or transfer without
  // predecessors. It is new or replaces an operation that has ended. If the simulation has begun, it becomes
  // ready in cycle `at`, which must not be in the past; otherwise, in the first cycle.
  void add(std::size_t operation, Cycles at);

  // Whether the runner will act even if nothing else happens.
  bool expects() const { return !alarms_.empty() || engine_ != nullptr; }

  // Describes what unfinished operations are waiting for, one per line and in at most `limit` lines.
  std::string describe_waiting(int limit) const;

 private:
  enum class Kind : std::uint8_t { kCompute, kMemory, kLoad, kBegin, kAdmit, kTransfer, kReady };
  struct Alarm {
    Cycles at;
    Kind kind;
    ni::ContextId id;  // for kAdmit and kTransfer: the collective or transfer
    bool operator>(const Alarm& other) const { return at > other.at; }
  };
  // A resource that runs one operation at a time.
  struct Unit {
    std::deque<std::size_t> waiting;  // indices of operations
    std::size_t current = 0;
    bool busy = false;
  };
  using OperationOf = std::map<ni::ContextId, std::size_t>;
  struct Context {
    ni::ContextId id = ni::kOwnTables;  // kOwnTables: the context is free
    // The tables most recently loaded, even if the context is free.
    const schedule::NodeTables* tables = nullptr;
    bool started = false;
  };

  void start_of_simulation() override;
  void begin(Cycles now);
  void wake(Cycles now) override;
  void set_alarm(Cycles at, Kind kind, ni::ContextId id = ni::kOwnTables);
  void expect(std::size_t operation, const workload::JoinCollective& join);
  void set_operation(ni::ContextId id, std::size_t operation);
  void forget_operation(OperationOf::const_iterator of);
  void dequeue_ready(Cycles now);
  void make_ready(std::size_t operation, Cycles now);
  void end(std::size_t operation, Cycles now);
  void settle(Cycles now);
  void make_gradient_queue(const ChainedGradients& chained);
  void dequeue_layers(Cycles now);
  void begin_work(std::size_t operation, const workload::Compute& compute, Cycles now);
  void begin_work(std::size_t operation, const workload::MemoryAccess& access, Cycles now);
  void begin_work(std::size_t operation, const workload::JoinCollective& join, Cycles now);
  void begin_work(std::size_t operation, const workload::Send& send, Cycles now);
  void begin_work(std::size_t operation, const workload::Receive& receive, Cycles now);
  void admit(ni::ContextId id, Cycles now);
  void run_unit(Unit& unit, Kind kind, Cycles now);
  bool run_tiles(std::size_t operation, Cycles now, Cycles cycles);
  void tiles_done();
  Cycles duration(std::size_t operation) const;
  void transfer(std::size_t operation, std::int32_t number, Cycles now);
  void start_transfer(ni::ContextId id, Cycles now);
  Cycles launch(ni::ContextId id) const;
  void exchange_done(ni::ContextId id, Cycles now);

  void load_contexts(Cycles now);
  bool load_next(Cycles now);
  Context* context_for(ni::ContextId id, bool joined);
  void loaded(Context& context, Cycles now);
  void record_start(ni::ContextId id, Cycles now);
  void start(ni::ContextId id, Cycles now);
  OperationTimes& times(std::size_t operation) { return state_.times(rank_, operation); }

  ProgramState& state_;
  SharedPasses& passes_;
  CollectiveGate* gate_;
  topology::NodeId accelerator_;
  int rank_;
  const workload::RankProgram* program_ = nullptr;  // nullptr: no rank runs on the accelerator
  ni::WakeScheduler* alarm_ = nullptr;
  ni::Interface* interface_ = nullptr;
  bool simulating_ = false;
  Cycles next_alarm_ = -1;
  // Operations that have been added, with the cycles in which they become ready.
  std::deque<std::pair<Cycles, std::size_t>> ready_later_;
  std::priority_queue<Alarm, std::vector<Alarm>, std::greater<>> alarms_;
  std::vector<std::vector<std::int32_t>> followers_;  // [operation]: operations that wait for it
  std::vector<std::int32_t> waits_;                   // [operation]: number of unfinished predecessors
  std::deque<std::size_t> ended_;                     // ended operations that still count in waits_
  const GradientChain* chain_ = nullptr;              // nullptr: no operation waits for the gradient queue
  std::unique_ptr<ni::GradientQueueModule> gradients_;
  Unit compute_;
  Unit memory_;
  // nullptr if no computation is simulated tile by tile.
  std::unique_ptr<accelerator::LayerEngine> engine_;
  Cycles tiles_end_ = 0;     // when the tiles end if nothing else uses the memory
  Cycles behind_tiles_ = 0;  // by how many cycles the computation is longer than at nominal speed

  std::vector<Context> contexts_;
  std::vector<ni::ContextId> in_order_;  // the rank's collectives in program order
  std::size_t next_to_load_ = 0;         // index in in_order_ of the next collective whose tables to load
  OperationOf operation_of_;             // [joined collective or transfer]: its operation
  std::vector<OperationOf::node_type> freed_nodes_;  // of operation_of_, whose memory is reused
  // Collectives that are joined but not loaded, in the order in which they will be loaded: by descending
  // priority, then by operation. The order does not depend on how a program numbers its collectives.
  std::map<std::pair<int, std::size_t>, ni::ContextId> awaited_;
  std::set<ni::ContextId> joined_;  // joined but not complete
  std::set<ni::ContextId> begun_;   // joined, or loaded before; these are not loaded ahead of time
  Context* loading_ = nullptr;
};

}  // namespace coppice::system
