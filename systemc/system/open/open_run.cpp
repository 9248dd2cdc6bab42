#include "system/open/open_run.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "base/index.h"
#include "base/time_limit.h"
#include "fabric/sim_time.h"
#include "system/machine/build.h"
#include "system/program/verilog_program.h"

namespace coppice::system {
namespace {

using topology::NodeId;

// Resolves `auto`. The fidelity becomes `flit`, since messages are not known in advance, and the check
// becomes `contributions`, whose cost does not grow with the data size.
void choose(config::Loaded& loaded) {
  config::Config& config = loaded.config;
  if (config.fidelity == config::Fidelity::kAuto) config.fidelity = config::Fidelity::kFlit;
  if (config.check == config::Check::kAuto) config.check = config::Check::kContributions;
  if (config.fidelity == config::Fidelity::kLeap) {
    throw ConfigError(loaded.place("fidelity"),
                      "fidelity: leap must know all messages in advance, but an open run receives them one "
                      "by one: write flit, train or fluid");
  }
  if (runs_in_verilog(loaded)) {
    throw ConfigError(loaded.place("system.ni.impl"),
                      "system.ni.impl: an open run does not support Verilog modules: write systemc");
  }
}

}  // namespace

OpenRun::OpenRun(config::Loaded loaded) : loaded_(std::move(loaded)) {
  choose(loaded_);
  const KernelContext::Use use(kernel_);
  topology::Topology network = build_topology(loaded_);
  const int accelerators = network.num_accelerators();
  program_.name = "open run";
  program_.ranks.resize(index(accelerators));
  free_operations_.resize(index(accelerators));
  jobs_ = {{program_.name, 0, accelerators, 0}};
  prepared_ = std::make_unique<PreparedProgram>(loaded_, "system", program_, jobs_, std::move(network));
  machine_ = std::make_unique<ProgramMachine>(ProgramSetup{.loaded = loaded_,
                                                           .program = program_,
                                                           .jobs = jobs_,
                                                           .prepared = *prepared_,
                                                           .fidelity = loaded_.config.fidelity,
                                                           .grows = true},
                                              options_);
  machine_->state().on_done = [this](ni::ContextId id, Cycles /*now*/) { done(id); };
  period_ = machine_->fabric().period();
}

OpenRun::~OpenRun() {
  const KernelContext::Use use(kernel_);
  machine_.reset();
}

Femtoseconds OpenRun::kernel_time() const {
  const KernelContext::Use use(kernel_);
  return static_cast<Femtoseconds>(sc_core::sc_time_stamp().value());
}

Femtoseconds OpenRun::now() const {
  return running_ ? kernel_time() : now_;
}

std::optional<Femtoseconds> OpenRun::next() const {
  const KernelContext::Use use(kernel_);
  // Before the first cycle, the kernel has no events yet.
  if (!begun_) return in_flight_ > 0 ? std::optional<Femtoseconds>(0) : std::nullopt;
  if (!sc_core::sc_pending_activity()) return std::nullopt;
  return kernel_time() + static_cast<Femtoseconds>(sc_core::sc_time_to_pending_activity().value());
}

void OpenRun::require_accelerator(int accelerator, const char* what) const {
  if (accelerator >= 0 && accelerator < accelerators()) return;
  throw UnsupportedError(fmt::format("{}: accelerator {} does not exist: the accelerators are 0 to {}", what,
                                     accelerator, accelerators() - 1));
}

std::int32_t OpenRun::group_of(const std::vector<int>& accelerators) {
  const auto [known, fresh] =
      groups_.try_emplace(accelerators, static_cast<std::int32_t>(program_.groups.size()));
  if (fresh) program_.groups.push_back({fmt::format("group {}", known->second), accelerators});
  return known->second;
}

std::int32_t OpenRun::allocate_transfer(NodeId src, NodeId dst, Bytes bytes) {
  if (free_transfers_.empty()) {
    free_transfers_.push_back(static_cast<std::int32_t>(program_.transfers.size()));
    program_.transfers.emplace_back();
  }
  const std::int32_t number = free_transfers_.back();
  workload::Transfer& transfer = program_.transfers[index(number)];
  transfer.source = src;
  transfer.destination = dst;
  transfer.bytes = bytes;
  return number;
}

OpenRun::Id OpenRun::send(NodeId src, NodeId dst, Bytes bytes) {
  require_accelerator(src, "source");
  require_accelerator(dst, "destination");
  if (src == dst) throw UnsupportedError(fmt::format("accelerator {} cannot send to itself", src));
  if (bytes < 0)
    throw UnsupportedError(fmt::format("a message cannot have {} bytes: write 0 or more", bytes));
  const KernelContext::Use use(kernel_);
  const std::int32_t number = allocate_transfer(src, dst, bytes);
  const Id id = machine_->state().add_transfer(number);
  free_transfers_.pop_back();
  if (id >= operations_.size()) operations_.resize(id + 1);
  Operations& operations = operations_[id];
  operations.collective = false;
  operations.number = number;
  operations.of_ranks.clear();
  // The receiver posts its receive before the sender starts to send.
  add(operations, dst, workload::Receive{number});
  add(operations, src, workload::Send{number});
  begin(id);
  return id;
}

std::int32_t OpenRun::allocate_collective(const OpenCollective& collective) {
  std::vector<int> members = collective.group;
  if (members.empty()) {
    members.resize(index(accelerators()));
    std::iota(members.begin(), members.end(), 0);
  }
  for (const int member : members) require_accelerator(member, "collective");
  std::vector<int> sorted = members;
  std::ranges::sort(sorted);
  const auto twice = std::ranges::adjacent_find(sorted);
  if (twice != sorted.end()) {
    throw UnsupportedError(fmt::format("collective: accelerator {} is in the group twice", *twice));
  }
  const auto root = std::ranges::find(members, collective.root);
  if (rooted(collective.op) && root == members.end()) {
    throw UnsupportedError(
        fmt::format("collective: the root, accelerator {}, is not in the group", collective.root));
  }
  if (collective.bytes <= 0)
    throw UnsupportedError(
        fmt::format("a collective cannot have {} bytes: it needs at least 1", collective.bytes));
  if (free_collectives_.empty()) {
    free_collectives_.push_back(static_cast<std::int32_t>(program_.collectives.size()));
    program_.collectives.emplace_back();
  }
  const std::int32_t number = free_collectives_.back();
  workload::GroupCollective& own = program_.collectives[index(number)];
  own.name = to_string(collective.op);
  own.op = collective.op;
  own.group = group_of(members);
  own.bytes = collective.bytes;
  own.root = rooted(collective.op) ? static_cast<int>(root - members.begin()) : 0;
  own.priority = collective.priority;
  return number;
}

OpenRun::Id OpenRun::collective(const OpenCollective& collective) {
  const KernelContext::Use use(kernel_);
  const std::int32_t number = allocate_collective(collective);
  const Id id = machine_->state().add_collective(number);
  const CompiledCollective* const compiled = machine_->state().exchange(id).compiled;
  if (compiled != nullptr && compiled->interfaces.size() > compiled->accelerators.size()) {
    throw UnsupportedError(
        fmt::format("collective: '{}' reduces in switches, but an open run does not load their tables: "
                    "choose another algorithm",
                    compiled->schedule.algorithm));
  }
  free_collectives_.pop_back();
  if (id >= operations_.size()) operations_.resize(id + 1);
  Operations& operations = operations_[id];
  operations.collective = true;
  operations.number = number;
  operations.of_ranks.clear();
  const workload::GroupCollective& own = program_.collectives[index(number)];
  for (const int rank : program_.groups[index(own.group)].ranks) {
    add(operations, rank, workload::JoinCollective{number});
  }
  begin(id);
  return id;
}

template <typename Work>
void OpenRun::add(Operations& operations, int rank, const Work& work) {
  auto& free = free_operations_[index(rank)];
  auto& list = program_.ranks[index(rank)].operations;
  if (free.empty()) {
    free.push_back(static_cast<std::int32_t>(list.size()));
    list.emplace_back();
    machine_->state().add_operation(rank);
  }
  list[index(free.back())].work = work;
  operations.of_ranks.emplace_back(rank, free.back());
  free.pop_back();
}

void OpenRun::begin(Id id) {
  ++in_flight_;
  const Cycles at = (now() + period_ - 1) / period_;
  // A group of one rank is done, and `id` is freed, as soon as the operation is added.
  const std::size_t ranks = operations_[id].of_ranks.size();
  for (std::size_t i = 0; i < ranks; ++i) {
    const auto [rank, operation] = operations_[id].of_ranks[i];
    machine_->runner(rank).add(index(operation), at);
  }
}

void OpenRun::done(Id id) {
  Operations& operations = operations_[id];
  for (const auto& [rank, operation] : operations.of_ranks)
    free_operations_[index(rank)].push_back(operation);
  (operations.collective ? free_collectives_ : free_transfers_).push_back(operations.number);
  --in_flight_;
  if (on_done) {
    const KernelContext::Use outside = kernel_.leave();
    on_done(id);
  }
  if (stopped_ || (draining_ && in_flight_ == 0)) sc_core::sc_pause();
}

void OpenRun::stop() {
  stopped_ = true;
}

void OpenRun::simulate(const sc_core::sc_time& duration) {
  running_ = true;
  begun_ = true;
  try {
    sc_core::sc_start(duration, sc_core::SC_RUN_TO_TIME);
    machine_->failure().rethrow();
  } catch (...) {
    running_ = false;
    throw;
  }
  running_ = false;
}

void OpenRun::advance(Femtoseconds until) {
  const KernelContext::Use use(kernel_);
  prepared_->compiler->require_deadlock_free();
  stopped_ = false;
  const Femtoseconds begin = until / period_ * period_;
  if (begin > kernel_time()) simulate(fabric::to_sc_time(begin - kernel_time()));
  // The kernel stops before the first phase of its last cycle, so the remaining events at this time must be
  // run separately.
  while ((!begun_ || sc_core::sc_pending_activity_at_current_time()) && !stopped_) {
    simulate(sc_core::SC_ZERO_TIME);
  }
  now_ = std::max(now_, stopped_ ? kernel_time() : until);
}

void OpenRun::drain() {
  const KernelContext::Use use(kernel_);
  prepared_->compiler->require_deadlock_free();
  stopped_ = false;
  draining_ = true;
  while (in_flight_ > 0 && !stopped_) {
    const std::optional<Femtoseconds> happens = next();
    if (!happens) refuse_deadlock();
    constexpr Cycles kSlice = 10'000;
    simulate(fabric::to_sc_time(*happens - kernel_time() + kSlice * period_));
  }
  draining_ = false;
  now_ = std::max(now_, kernel_time());
}

void OpenRun::refuse_deadlock() {
  draining_ = false;
  throw ModelError(fmt::format(
      "deadlock at cycle {}: {} messages and collectives are in flight, and nothing can move\n{}",
      machine_->fabric().last_movement(), in_flight_, machine_->describe_waiting(kernel_time() / period_)));
}

}  // namespace coppice::system
