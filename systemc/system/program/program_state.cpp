#include "system/program/program_state.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "base/time_limit.h"
#include "system/program/all_to_all.h"

namespace coppice::system {
namespace {

using topology::NodeId;
using workload::CollectiveOp;

// Members of groups up to this size are searched for in a list.
constexpr std::size_t kFewInterfaces = 4;
constexpr Bytes kOffset = (Bytes{1} << ProgramState::kBufferBits) - 1;

// The peak rate of the arrays, where a multiply-accumulate counts as two operations.
double operations_per_second(const config::AcceleratorConfig& accelerator) {
  if (accelerator.model == "roofline") {
    return accelerator.roofline.peak_tflops * 1e12 * accelerator.roofline.efficiency;
  }
  const double array = static_cast<double>(accelerator.array.front()) * accelerator.array.back();
  return 2 * array * accelerator.pes * static_cast<double>(accelerator.clock.hertz);
}

double launch_seconds(const config::AcceleratorConfig& accelerator) {
  if (accelerator.model != "roofline") return 0;
  return static_cast<double>(accelerator.roofline.launch) / static_cast<double>(kFemtosecondsPerSecond);
}

// The memory bandwidth in bytes per second; 0 if it is unlimited.
double memory_bytes_per_second(const config::AcceleratorConfig& accelerator) {
  if (accelerator.model == "roofline") {
    return static_cast<double>(accelerator.roofline.memory_bandwidth.bytes_per_second) *
           accelerator.roofline.memory_efficiency;
  }
  return accelerator.memory_bandwidth ? static_cast<double>(accelerator.memory_bandwidth->bytes_per_second)
                                      : 0;
}

Cycles cycles_of(double seconds, Femtoseconds period) {
  const double cycles =
      std::ceil(seconds * static_cast<double>(kFemtosecondsPerSecond) / static_cast<double>(period) - 1e-9);
  const Cycles most = kLongestTime / period;
  if (cycles > static_cast<double>(most)) throw TimeLimitError("an operation of the program");
  return static_cast<Cycles>(cycles);
}

}  // namespace

ProgramState::ProgramState(const config::Loaded& loaded, const workload::Program& program,
                           std::vector<Job> jobs, CollectiveSource& compiler)
    : config_(loaded.config),
      program_(program),
      compiler_(compiler),
      jobs_(std::move(jobs)),
      check_(loaded.config.check) {
  for (std::size_t i = 0; i < program.collectives.size(); ++i) add_collective(static_cast<std::int32_t>(i));
  for (std::size_t i = 0; i < program.transfers.size(); ++i) add_transfer(static_cast<std::int32_t>(i));
  if (check_ == config::Check::kAuto) {
    const bool small = kept_bytes_ <= kValuesLimit && !folded_;
    check_ = small ? config::Check::kValues : config::Check::kContributions;
  }
  if (verified_.empty() || check_ != config::Check::kValues) verified_ = config::to_string(check_);
  for (const workload::RankProgram& rank : program.ranks) {
    times_.emplace_back(rank.operations.size());
    operations_ += static_cast<std::int64_t>(rank.operations.size());
  }
  NodeId most = 0;
  for (std::size_t rank = 0; rank < program.ranks.size(); ++rank) {
    most = std::max(most, accelerator(static_cast<int>(rank)));
  }
  place_ranks(most + 1);
}

ni::ContextId ProgramState::add_collective(std::int32_t number) {
  return add(collectives_, true, number, compiler_.compiled_collective(program_, number));
}

ni::ContextId ProgramState::add_transfer(std::int32_t number) {
  return add(transfers_, false, number, compiler_.compiled_transfer(program_, number));
}

ni::ContextId ProgramState::add(std::vector<ni::ContextId>& ids, bool collective, std::int32_t number,
                                const CompiledCollective* compiled) {
  const bool again = static_cast<std::size_t>(number) < ids.size();
  if (!again) {
    exchanges_.emplace_back();
    ids.push_back(static_cast<ni::ContextId>(exchanges_.size()));
  }
  const ni::ContextId id = ids[static_cast<std::size_t>(number)];
  ExchangeState& exchange = exchanges_[id - 1];
  std::vector<Cycles> begun = std::move(exchange.begun);  // reuses its memory
  begun.clear();
  exchange = ExchangeState();
  exchange.begun = std::move(begun);
  reuses_ = reuses_ || again;
  exchange.collective = collective;
  exchange.number = number;
  exchange.compiled = compiled;
  if (compiled == nullptr) return id;
  messages_ += compiled->messages;
  flit_hops_ += compiled->flit_hops;
  kept_bytes_ += compiled->schedule.size * static_cast<Bytes>(compiled->interfaces.size());
  folded_ = folded_ || compiled->images != nullptr;
  if (compiled->op == CollectiveOp::kAllToAll || folded_) verified_ = "contributions";
  if (!compiled->arrivals.empty()) exchange.begun.resize(compiled->interfaces.size(), 0);
  const bool listed = compiled->interfaces.size() <= kFewInterfaces || members_.contains(compiled);
  for (std::size_t i = 0; i < compiled->interfaces.size() && !listed; ++i) {
    if (compiled->interfaces[i] == static_cast<NodeId>(i)) continue;
    auto& members = members_[compiled];
    for (std::size_t m = i; m < compiled->interfaces.size(); ++m) {
      members[compiled->interfaces[m]] = static_cast<int>(m);
    }
    break;
  }
  adding_ = adding_ || compiled->interfaces.size() > compiled->accelerators.size();
  return id;
}

void ProgramState::add_operation(int rank) {
  times_[static_cast<std::size_t>(rank)].emplace_back();
  ++operations_;
}

void ProgramState::place_ranks(int accelerators) {
  ranks_.assign(static_cast<std::size_t>(accelerators), -1);
  for (std::size_t rank = 0; rank < program_.ranks.size(); ++rank) {
    ranks_[static_cast<std::size_t>(accelerator(static_cast<int>(rank)))] = static_cast<int>(rank);
  }
}

Femtoseconds ProgramState::begins(int rank) const {
  for (const Job& job : jobs_) {
    if (rank >= job.first_rank && rank < job.first_rank + job.ranks) return job.arrival;
  }
  return 0;
}

NodeId ProgramState::accelerator(int rank) const {
  return workload::accelerator_of(program_, rank);
}

int ProgramState::member(const CompiledCollective& compiled, NodeId accelerator) const {
  const auto same = static_cast<std::size_t>(accelerator);
  if (same < compiled.interfaces.size() && compiled.interfaces[same] == accelerator) return accelerator;
  if (compiled.interfaces.size() <= kFewInterfaces) {
    return static_cast<int>(std::ranges::find(compiled.interfaces, accelerator) -
                            compiled.interfaces.begin());
  }
  return members_.at(&compiled).at(accelerator);
}

Verification& ProgramState::verification(ni::ContextId id) {
  ExchangeState& exchange = exchanges_[id - 1];
  if (exchange.verification == nullptr) {
    const CompiledCollective& compiled = *exchange.compiled;
    if (const auto spare = spare_.find(&compiled); spare != spare_.end() && !spare->second.empty()) {
      exchange.verification = std::move(spare->second.back());
      spare->second.pop_back();
      return *exchange.verification;
    }
    if (compiled.images != nullptr && check_ != config::Check::kOff) {
      exchange.verification = make_contribution_verification(
          compiled.images->outline, compiled.images->boundaries, compiled.images->members);
    } else if (compiled.op == CollectiveOp::kAllToAll && check_ != config::Check::kOff) {
      exchange.verification = make_all_to_all_verification(compiled.schedule);
    } else {
      exchange.verification =
          make_verification(check_, compiled.schedule, compiled.report, config_.seed + id - 1);
    }
  }
  return *exchange.verification;
}

ni::GradientMemory& ProgramState::memory(ni::ContextId id, NodeId accelerator) {
  return verification(id).memory(member(*exchanges_[id - 1].compiled, accelerator));
}

ni::ContextTables ProgramState::tables(ni::ContextId id, NodeId accelerator) {
  // Several threads may ask for the same buffers; the first one creates them.
  const auto lock = exclusive();
  const CompiledCollective& compiled = *exchanges_[id - 1].compiled;
  const auto m = static_cast<std::size_t>(member(compiled, accelerator));
  return {.id = id,
          .schedule = &compiled.schedule,
          .tables = &compiled.schedule.nodes[m],
          .contents = &verification(id).memory(static_cast<NodeId>(m)),
          .base = Bytes{id} << kBufferBits,
          .arrivals = compiled.arrivals[m],
          .priority = priority(id),
          .images = compiled.images == nullptr ? nullptr : &compiled.images->arrivals[m],
          .timing = compiled.timing ? &*compiled.timing : nullptr};
}

std::int64_t ProgramState::entries(ni::ContextId id, NodeId accelerator) const {
  const CompiledCollective& compiled = *exchanges_[id - 1].compiled;
  return compiled.entries[static_cast<std::size_t>(member(compiled, accelerator))];
}

void ProgramState::begin(ni::ContextId id, NodeId accelerator, Cycles now) {
  exchanges_[id - 1].begun[static_cast<std::size_t>(member(id, accelerator))] = now;
}

void ProgramState::joined(ni::ContextId id, Cycles now) {
  bool first = false;
  {
    const auto lock = exclusive();
    ExchangeState& exchange = exchanges_[id - 1];
    first = ++exchange.joined == 1;
    exchange.first_joined = exchange.first_joined < 0 ? now : std::min(exchange.first_joined, now);
    exchange.last_joined = std::max(exchange.last_joined, now);
  }
  if (first && on_first_joined) on_first_joined(id, now);
}

void ProgramState::done(ni::ContextId id, Cycles now) {
  {
    const auto lock = exclusive();
    ExchangeState& exchange = exchanges_[id - 1];
    exchange.ended = std::max(exchange.ended, now);
    const int members =
        exchange.compiled == nullptr ? 1 : static_cast<int>(exchange.compiled->accelerators.size());
    if (++exchange.done < members) return;
    if (exchange.compiled != nullptr && !kept_) verify(id);
  }
  if (on_done) on_done(id, now);
}

void ProgramState::ended_alone(const std::vector<Cycles>& ends) {
  ExchangeState& exchange = exchanges_.front();
  exchange.joined = exchange.done = static_cast<int>(times_.size());
  exchange.first_joined = exchange.last_joined = 0;
  for (std::size_t rank = 0; rank < times_.size(); ++rank) {
    const Cycles end = ends[static_cast<std::size_t>(accelerator(static_cast<int>(rank)))];
    times_[rank].front() = {0, 0, end};
    exchange.ended = std::max(exchange.ended, end);
    operation_ended(end);
  }
}

void ProgramState::verify_kept() {
  for (ni::ContextId id = 1; id <= exchanges_.size(); ++id) {
    const ExchangeState& exchange = exchanges_[id - 1];
    const bool ended = exchange.compiled != nullptr && exchange.verification != nullptr &&
                       exchange.done == static_cast<int>(exchange.compiled->accelerators.size());
    if (ended) verify(id);
  }
}

void ProgramState::verify(ni::ContextId id) {
  ExchangeState& exchange = exchanges_[id - 1];
  try {
    verification(id).verify();
  } catch (const ni::WrongDataError& error) {
    refuse_data(id, error);
  }
  exchange.checked = exchange.verification->checked();
  if (on_verified) on_verified(*exchange.compiled, *exchange.verification);
  if (reuses_ && !exchange.collective && exchange.verification->restart()) {
    spare_[exchange.compiled].push_back(std::move(exchange.verification));
  }
  exchange.verification.reset();
}

void ProgramState::refuse_data(ni::ContextId id, const ni::WrongDataError& wrong) const {
  const ExchangeState& exchange = exchanges_[id - 1];
  const auto number = static_cast<std::size_t>(exchange.number);
  const std::string& name =
      exchange.collective ? program_.collectives[number].name : program_.transfers[number].name;
  std::string text = fmt::format("{} '{}'", exchange.collective ? "collective" : "transfer", name);
  if (exchange.ended >= 0) text += fmt::format(", which ended in cycle {}", exchange.ended);
  text += fmt::format(": {}", wrong.what());
  const schedule::Schedule& schedule = exchange.compiled->schedule;
  if (!schedule.ordered_by_lockstep) throw ModelError(text);
  throw OrderLostError(
      fmt::format("{}; only the lockstep enforces the order of '{}', but messages arrived later than it "
                  "assumes ({}): choose an algorithm that is correct under any timing",
                  text, schedule.algorithm, exchange.compiled->late));
}

Cycles ProgramState::duration(const workload::Compute& compute, int rank) const {
  const auto& jitter = config_.program.jitter;
  const Femtoseconds period = config_.system.clock.period();
  if (compute.duration > 0 && jitter.empty()) return (compute.duration + period - 1) / period;
  double seconds = static_cast<double>(compute.duration) / static_cast<double>(kFemtosecondsPerSecond);
  if (compute.duration == 0) {
    seconds = compute.operations / operations_per_second(config_.system.accelerator);
    const double bandwidth = memory_bytes_per_second(config_.system.accelerator);
    if (bandwidth > 0) seconds = std::max(seconds, compute.bytes / bandwidth);
    seconds += launch_seconds(config_.system.accelerator);
  }
  if (!jitter.empty())
    seconds *= jitter.size() == 1 ? jitter.front() : jitter[static_cast<std::size_t>(rank)];
  return cycles_of(seconds, period);
}

Cycles ProgramState::duration(const workload::MemoryAccess& access) const {
  const double bandwidth = memory_bytes_per_second(config_.system.accelerator);
  if (bandwidth <= 0) return 0;
  return cycles_of(static_cast<double>(access.bytes) / bandwidth, config_.system.clock.period());
}

void ProgramMemory::read(Bytes address, Bytes bytes, ni::Payload& into) const {
  buffer(address).read(address & kOffset, bytes, into);
}

void ProgramMemory::reduce(Bytes address, Bytes bytes, const ni::Payload& payload) {
  try {
    buffer(address).reduce(address & kOffset, bytes, payload);
  } catch (const ni::WrongDataError& error) {
    state_->refuse_data(context(address), error);
  }
}

void ProgramMemory::store(Bytes address, Bytes bytes, const ni::Payload& payload) {
  buffer(address).store(address & kOffset, bytes, payload);
}

}  // namespace coppice::system
