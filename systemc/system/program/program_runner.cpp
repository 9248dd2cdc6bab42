#include "system/program/program_runner.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/error.h"
#include "fabric/route_timing.h"
#include "fabric/sim_time.h"
#include "ni/network_interface.h"
#include "system/machine/protocols.h"

namespace coppice::system {

using ni::ContextId;

ProgramRunner::ProgramRunner(const sc_core::sc_module_name& name, topology::NodeId accelerator,
                             ProgramState& state, SharedPasses& passes, const ChainedGradients* chained,
                             CollectiveGate* gate)
    : AcceleratorModule(name),
      state_(state),
      passes_(passes),
      gate_(gate),
      accelerator_(accelerator),
      rank_(state.rank_on(accelerator)),
      contexts_(static_cast<std::size_t>(state.config().system.ni.contexts)) {
  if (rank_ < 0) return;
  program_ = &state.program().ranks[static_cast<std::size_t>(rank_)];
  if (passes.any(rank_)) {
    engine_ = std::make_unique<accelerator::LayerEngine>("engine", state.config().system.accelerator.clock);
    share_memory(engine_->memory);
    SC_HAS_PROCESS(ProgramRunner);
    SC_METHOD(tiles_done);
    sensitive << engine_->done();
    dont_initialize();
  }
  const auto& operations = program_->operations;
  followers_.resize(operations.size());
  waits_.resize(operations.size());
  for (std::size_t i = 0; i < operations.size(); ++i) {
    waits_[i] = static_cast<std::int32_t>(operations[i].after.size());
    for (const std::int32_t before : operations[i].after) {
      followers_[static_cast<std::size_t>(before)].push_back(static_cast<std::int32_t>(i));
    }
    if (const auto* join = std::get_if<workload::JoinCollective>(&operations[i].work)) expect(i, *join);
  }
  if (chained != nullptr) make_gradient_queue(*chained);
}

// Registers the collective that `operation` joins. Calls must be in program order, because tables are loaded
// in the order of the calls.
void ProgramRunner::expect(std::size_t operation, const workload::JoinCollective& join) {
  const ContextId id = state_.context_of(join);
  set_operation(id, operation);
  if (state_.exchange(id).compiled != nullptr && !simulating_) in_order_.push_back(id);
}

void ProgramRunner::set_operation(ContextId id, std::size_t operation) {
  if (freed_nodes_.empty()) {
    operation_of_[id] = operation;
    return;
  }
  freed_nodes_.back().key() = id;
  freed_nodes_.back().mapped() = operation;
  auto set = operation_of_.insert(std::move(freed_nodes_.back()));
  set.position->second = operation;
  freed_nodes_.pop_back();
}

void ProgramRunner::forget_operation(OperationOf::const_iterator of) {
  freed_nodes_.push_back(operation_of_.extract(of));
}

void ProgramRunner::add(std::size_t operation, Cycles at) {
  if (operation == waits_.size()) {
    waits_.push_back(0);
    followers_.emplace_back();
  }
  state_.times(rank_, operation) = {};
  const auto* const join = std::get_if<workload::JoinCollective>(&program_->operations[operation].work);
  if (join != nullptr) expect(operation, *join);
  if (!simulating_) return;
  // The collective of a group of one rank ends as soon as it begins, but must not end during this call.
  const bool moves = join == nullptr || state_.exchange(state_.context_of(*join)).compiled != nullptr;
  const Cycles now = fabric::current_cycle(state_.config().system.clock.period());
  if (!moves || at > now) {
    ready_later_.emplace_back(at, operation);
    set_alarm(at, Kind::kReady);
    return;
  }
  // Operations must become ready in the order in which they were added.
  dequeue_ready(now);
  make_ready(operation, now);
  settle(now);
}

void ProgramRunner::dequeue_ready(Cycles now) {
  while (!ready_later_.empty() && ready_later_.front().first <= now) {
    const std::size_t operation = ready_later_.front().second;
    ready_later_.pop_front();
    make_ready(operation, now);
    load_contexts(now);  // a collective must begin before operations that were added after it
  }
}

void ProgramRunner::make_gradient_queue(const ChainedGradients& chained) {
  chain_ = &chained.chain;
  std::vector<std::int64_t> layer_chunks;
  for (const GradientChain::Layer& layer : chain_->layers) {
    ++waits_[static_cast<std::size_t>(layer.operation)];
    layer_chunks.push_back(chained.chunks.chunks_to(layer.gradients));
  }
  gradients_ = std::make_unique<ni::GradientQueueModule>(
      "gradient_queue", state_.context_of({chain_->collective}), chained.chunks, accelerator_, layer_chunks);
  gradients_->on_release = [this](Cycles now) { settle(now); };
}

void ProgramRunner::attach(ni::WakeScheduler& alarm, ni::Interface& interface) {
  alarm_ = &alarm;
  interface_ = &interface;
  interface.on_context_done = [this](ContextId id, Cycles now) { exchange_done(id, now); };
  if (gradients_ != nullptr)
    dynamic_cast<ni::NetworkInterface&>(interface).completed.bind(gradients_->arrived);
}

void ProgramRunner::start_of_simulation() {
  if (program_ == nullptr) return;
  const Femtoseconds period = state_.config().system.clock.period();
  if (const Femtoseconds begins = state_.begins(rank_); begins > 0) {
    set_alarm((begins + period - 1) / period, Kind::kBegin);
  } else {
    begin(0);
  }
}

void ProgramRunner::begin(Cycles now) {
  load_contexts(now);
  for (std::size_t i = 0; i < waits_.size(); ++i) {
    if (waits_[i] == 0) make_ready(i, now);
  }
  settle(now);
  simulating_ = true;
}

void ProgramRunner::set_alarm(Cycles at, Kind kind, ContextId id) {
  alarms_.push({at, kind, id});
  if (next_alarm_ >= 0 && next_alarm_ <= at) return;
  next_alarm_ = at;
  alarm_->set(at, *this);
}

void ProgramRunner::wake(Cycles now) {
  if (next_alarm_ != now) return;  // a later call of set_alarm() replaced this alarm by an earlier one
  next_alarm_ = -1;
  while (!alarms_.empty() && alarms_.top().at <= now) {
    const auto [at, kind, id] = alarms_.top();
    alarms_.pop();
    if (kind == Kind::kBegin) {
      begin(now);
      continue;
    }
    if (kind == Kind::kReady) {
      dequeue_ready(now);
      continue;
    }
    if (kind == Kind::kAdmit) {
      admit(id, now);
      continue;
    }
    if (kind == Kind::kTransfer) {
      start_transfer(id, now);
      continue;
    }
    if (kind == Kind::kLoad) {
      loaded(*std::exchange(loading_, nullptr), now);
      continue;
    }
    Unit& unit = kind == Kind::kCompute ? compute_ : memory_;
    unit.busy = false;
    end(unit.current, now);
  }
  settle(now);
  if (alarms_.empty() || (next_alarm_ >= 0 && next_alarm_ <= alarms_.top().at)) return;
  next_alarm_ = alarms_.top().at;
  alarm_->set(next_alarm_, *this);
}

void ProgramRunner::make_ready(std::size_t operation, Cycles now) {
  times(operation).ready = now;
  std::visit([&](const auto& work) { begin_work(operation, work, now); },
             program_->operations[operation].work);
}

void ProgramRunner::end(std::size_t operation, Cycles now) {
  times(operation).ended = now;
  state_.operation_ended(now);
  ended_.push_back(operation);
}

// Marks operations as ready whose predecessors have all ended, and starts the next work of idle units and
// contexts.
void ProgramRunner::settle(Cycles now) {
  bool settled = false;
  while (!settled) {
    while (!ended_.empty()) {
      const std::size_t operation = ended_.front();
      ended_.pop_front();
      std::vector<std::int32_t>& followers = followers_[operation];
      std::ranges::sort(followers);
      for (const std::int32_t next : followers) {
        if (--waits_[static_cast<std::size_t>(next)] == 0) make_ready(static_cast<std::size_t>(next), now);
      }
    }
    dequeue_layers(now);
    if (!compute_.waiting.empty()) run_unit(compute_, Kind::kCompute, now);
    if (!memory_.waiting.empty()) run_unit(memory_, Kind::kMemory, now);
    settled = ended_.empty();
  }
  load_contexts(now);
}

// Takes layers from the gradient queue once all their other predecessors have ended.
void ProgramRunner::dequeue_layers(Cycles now) {
  while (gradients_ != nullptr && gradients_->released()) {
    const auto operation = static_cast<std::size_t>(chain_->layers[gradients_->layer()].operation);
    if (waits_[operation] > 1) return;
    gradients_->take();
    waits_[operation] = 0;
    make_ready(operation, now);
  }
}

void ProgramRunner::begin_work(std::size_t operation, const workload::Compute& /*compute*/, Cycles /*now*/) {
  compute_.waiting.push_back(operation);
}

void ProgramRunner::begin_work(std::size_t operation, const workload::MemoryAccess& /*access*/,
                               Cycles /*now*/) {
  memory_.waiting.push_back(operation);
}

Cycles ProgramRunner::duration(std::size_t operation) const {
  const auto& work = program_->operations[operation].work;
  const auto* const compute = std::get_if<workload::Compute>(&work);
  return compute != nullptr ? state_.duration(*compute, rank_)
                            : state_.duration(std::get<workload::MemoryAccess>(work));
}

// Starts the next waiting operation of an idle unit. Operations that take zero cycles end immediately.
void ProgramRunner::run_unit(Unit& unit, Kind kind, Cycles now) {
  while (!unit.busy && !unit.waiting.empty()) {
    unit.current = unit.waiting.front();
    unit.waiting.pop_front();
    times(unit.current).begun = now;
    const Cycles cycles = duration(unit.current);
    if (cycles == 0) {
      end(unit.current, now);
      continue;
    }
    unit.busy = true;
    if (kind == Kind::kCompute && run_tiles(unit.current, now, cycles)) continue;
    set_alarm(now + cycles, kind);
  }
}

// Decides whether a computation that takes `cycles` by itself is simulated tile by tile, and if so, starts
// its tiles. If the accelerator is slower than nominal, the computation ends later than its tiles by the
// difference. If the accelerator is faster, the computation is not simulated tile by tile.
bool ProgramRunner::run_tiles(std::size_t operation, Cycles now, Cycles cycles) {
  if (engine_ == nullptr) return false;
  auto work = passes_.work(rank_, operation);
  if (work == nullptr) return false;
  const Cycles alone = passes_.alone(*work);
  if (alone > cycles + SharedPasses::kPieces) return false;
  tiles_end_ = now + alone;
  behind_tiles_ = std::max<Cycles>(cycles - alone, 0);
  engine_->start(std::move(work));
  return true;
}

void ProgramRunner::tiles_done() {
  const auto time = static_cast<Femtoseconds>(sc_core::sc_time_stamp().value());
  const Femtoseconds period = state_.config().system.clock.period();
  const Cycles now = (time + period - 1) / period;
  passes_.ran(now - tiles_end_);
  set_alarm(now + behind_tiles_, Kind::kCompute);
}

void ProgramRunner::begin_work(std::size_t operation, const workload::JoinCollective& join, Cycles now) {
  const ContextId id = state_.context_of(join);
  state_.joined(id, now);
  if (state_.exchange(id).compiled == nullptr) {
    times(operation).begun = now;
    forget_operation(operation_of_.find(id));
    end(operation, now);
    state_.done(id, now);
    return;
  }
  if (gate_ != nullptr) {
    gate_->join(rank_, join.collective, now,
                [this, id](Cycles at) { set_alarm(at + launch(id), Kind::kAdmit, id); });
  } else if (launch(id) > 0) {
    set_alarm(now + launch(id), Kind::kAdmit, id);
  } else {
    admit(id, now);
  }
}

// Starts a joined collective or transfer after its launch, or as soon as its tables are loaded if that is
// later.
void ProgramRunner::admit(ContextId id, Cycles now) {
  joined_.insert(id);
  const auto context = std::ranges::find(contexts_, id, &Context::id);
  if (context != contexts_.end() && loading_ != &*context) {
    context->started = true;
    start(id, now);
  } else if (context == contexts_.end()) {
    awaited_.insert({{-state_.priority(id), operation_of_.at(id)}, id});
  }
}

void ProgramRunner::begin_work(std::size_t operation, const workload::Send& send, Cycles now) {
  transfer(operation, send.transfer, now);
}

void ProgramRunner::begin_work(std::size_t operation, const workload::Receive& receive, Cycles now) {
  transfer(operation, receive.transfer, now);
}

void ProgramRunner::transfer(std::size_t operation, std::int32_t number, Cycles now) {
  const ContextId id = state_.context_of_transfer(number);
  set_operation(id, operation);
  state_.joined(id, now);
  if (launch(id) > 0) {
    set_alarm(now + launch(id), Kind::kTransfer, id);
  } else {
    start_transfer(id, now);
  }
}

Cycles ProgramRunner::launch(ContextId id) const {
  const config::SystemConfig& system = state_.config().system;
  const CompiledCollective* const compiled = state_.exchange(id).compiled;
  return compiled == nullptr
             ? 0
             : fabric::latency_cycles(launch_of(system, compiled->schedule), system.clock.period());
}

// Transfers do not use the registers, since a transfer would need two accesses, which cost more than starting
// it.
void ProgramRunner::start_transfer(ContextId id, Cycles now) {
  interface_->load(state_.tables(id, accelerator_), now);
  record_start(id, now);
  interface_->start_context(id, now);
}

void ProgramRunner::record_start(ContextId id, Cycles now) {
  state_.begin(id, accelerator_, now);
  times(operation_of_.at(id)).begun = now;
}

// Writes the interface's registers to start the tables of a collective at the node's time.
void ProgramRunner::start(ContextId id, Cycles now) {
  record_start(id, now);
  const Femtoseconds period = state_.config().system.clock.period();
  const sc_core::sc_time delay = fabric::to_sc_time(now * period) - sc_core::sc_time_stamp();
  write_register(ni::Registers::kContext, id, delay);
  write_register(ni::Registers::kControl, ni::Registers::kStart, delay);
}

void ProgramRunner::exchange_done(ContextId id, Cycles now) {
  const auto context = std::ranges::find(contexts_, id, &Context::id);
  if (context != contexts_.end()) {
    context->id = ni::kOwnTables;
    context->started = false;
  }
  if (!joined_.empty()) joined_.erase(id);
  const auto operation = operation_of_.find(id);
  const std::size_t number = operation->second;
  forget_operation(operation);
  end(number, now);
  state_.done(id, now);
  settle(now);
}

void ProgramRunner::load_contexts(Cycles now) {
  while (loading_ == nullptr && load_next(now)) {
  }
}

// Loads the tables of a collective that is joined but not loaded or, if there is none, those of the next
// collective in program order. Returns false if there are no tables to load or no free context.
bool ProgramRunner::load_next(Cycles now) {
  const bool joined = !awaited_.empty();
  while (next_to_load_ < in_order_.size() && begun_.contains(in_order_[next_to_load_])) ++next_to_load_;
  if (!joined && next_to_load_ == in_order_.size()) return false;
  const ContextId id = joined ? awaited_.begin()->second : in_order_[next_to_load_];
  Context* const context = context_for(id, joined);
  if (context == nullptr) return false;
  if (joined) awaited_.erase(awaited_.begin());
  begun_.insert(id);
  ni::ContextTables tables = state_.tables(id, accelerator_);
  tables.context = static_cast<int>(context - contexts_.data());
  const bool held = context->tables == tables.tables;
  context->id = id;
  context->tables = tables.tables;
  context->started = false;
  interface_->load(tables, now);
  const Cycles cycles =
      held || !simulating_ ? 0 : state_.entries(id, accelerator_) * state_.config().system.ni.table_load;
  if (cycles == 0) {
    loaded(*context, now);
    return true;
  }
  loading_ = context;
  set_alarm(now + cycles, Kind::kLoad);
  return true;
}

// Returns a free context, preferably one that still holds the tables. If none is free and the collective has
// been joined, evicts the last collective that is loaded but not joined, whose tables must be reloaded later.
ProgramRunner::Context* ProgramRunner::context_for(ContextId id, bool joined) {
  const schedule::NodeTables* const tables = state_.tables(id, accelerator_).tables;
  Context* free = nullptr;
  Context* last = nullptr;
  for (Context& context : contexts_) {
    if (context.id == ni::kOwnTables) {
      if (free == nullptr || context.tables == tables) free = &context;
    } else if (!context.started && !joined_.contains(context.id) &&
               (last == nullptr || context.id > last->id)) {
      last = &context;
    }
  }
  if (free != nullptr || !joined || last == nullptr) return free;
  interface_->unload(last->id);
  begun_.erase(last->id);
  next_to_load_ = 0;
  return last;
}

void ProgramRunner::loaded(Context& context, Cycles now) {
  if (!joined_.contains(context.id)) return;
  context.started = true;
  start(context.id, now);
}

std::string ProgramRunner::describe_waiting(int limit) const {
  std::string text;
  if (program_ == nullptr) return text;
  int lines = 0;
  for (std::size_t i = 0; i < program_->operations.size() && lines < limit; ++i) {
    const OperationTimes& times = state_.times(rank_)[i];
    if (times.ready < 0 || times.ended >= 0) continue;
    const char* const what = times.begun >= 0 ? "has started but not finished"
                                              : "waits for a context of the network interface: raise "
                                                "system.ni.contexts";
    text += fmt::format("  rank {}: '{}', ready in cycle {}, {}\n", rank_, program_->operations[i].name,
                        times.ready, what);
    ++lines;
  }
  return text;
}

}  // namespace coppice::system
