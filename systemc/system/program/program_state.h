#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "config/settings/config.h"
#include "ni/issue/table_context.h"
#include "ni/memory/gradient_memory.h"
#include "system/collective/verification.h"
#include "system/program/compiled_collectives.h"
#include "system/program/job_programs.h"
#include "workload/program.h"

namespace coppice::system {

// The life of a rank's operation, in cycles; -1: not yet. Ready: all its predecessors have ended. Begun: its
// computation has begun, or the network interface may move its data.
struct OperationTimes {
  Cycles ready = -1;
  Cycles begun = -1;
  Cycles ended = -1;
};

// A collective or transfer of a program while it runs.
class ExchangeState {
 public:
  bool collective = true;                        // else a transfer
  std::int32_t number = 0;                       // in Program::collectives or Program::transfers
  const CompiledCollective* compiled = nullptr;  // nothing moves among one rank: nullptr
  std::unique_ptr<Verification> verification;    // from the first that joins to the last that is done
  int joined = 0;
  int done = 0;
  Cycles first_joined = -1;
  Cycles last_joined = -1;
  Cycles ended = -1;
  std::vector<Cycles> begun{};  // [interface]: cycle in which its tables began; empty: with the simulation
  CheckedElements checked{};    // set when its data is verified
};

// State shared by the accelerators of a program: the program, its compiled collectives, and their progress.
// Accelerators may run in several threads: their changes here do not depend on their order within a cycle.
class ProgramState {
 public:
  // Compiles the collectives; throws ConfigError. All references must outlive this object. `jobs` contain
  // every rank.
  ProgramState(const config::Loaded& loaded, const workload::Program& program, std::vector<Job> jobs,
               CompiledCollectives& compiler);

  const workload::Program& program() const { return program_; }
  const config::Config& config() const { return config_; }
  const std::vector<Job>& jobs() const { return jobs_; }
  // The time before which none of a rank's operations begins.
  Femtoseconds begins(int rank) const;
  topology::NodeId accelerator(int rank) const;
  // The rank on an accelerator; -1: none.
  int rank_on(topology::NodeId accelerator) const {
    const auto index = static_cast<std::size_t>(accelerator);
    return index < ranks_.size() ? ranks_[index] : -1;
  }

  // Collectives are numbered from 1 on, transfers after them: as contexts of the network interfaces.
  ni::ContextId context_of(const workload::JoinCollective& join) const {
    return collectives_[static_cast<std::size_t>(join.collective)];
  }
  ni::ContextId context_of_transfer(std::int32_t transfer) const {
    return transfers_[static_cast<std::size_t>(transfer)];
  }
  // For a program that grows while it runs: compile its collective or transfer `number`, which is new or has
  // taken the place of one that is done, and return its context. Throw ConfigError.
  ni::ContextId add_collective(std::int32_t number);
  ni::ContextId add_transfer(std::int32_t number);
  // The rank's list of operations has grown.
  void add_operation(int rank);
  ni::ContextId exchanges() const { return static_cast<ni::ContextId>(exchanges_.size()); }
  const ExchangeState& exchange(ni::ContextId id) const { return exchanges_[id - 1]; }
  // The number of an accelerator in an exchange.
  topology::NodeId member(ni::ContextId id, topology::NodeId accelerator) const {
    return member(*exchanges_[id - 1].compiled, accelerator);
  }
  // The cycle in which an accelerator's tables of an exchange began.
  Cycles begun(ni::ContextId id, topology::NodeId accelerator) const {
    const ExchangeState& exchange = exchanges_[id - 1];
    return exchange.begun.empty() ? 0 : exchange.begun[static_cast<std::size_t>(member(id, accelerator))];
  }
  // For a rank's network interface to load.
  ni::ContextTables tables(ni::ContextId id, topology::NodeId accelerator);
  // The higher is served first; transfers have none.
  int priority(ni::ContextId id) const {
    const ExchangeState& exchange = exchanges_[id - 1];
    return exchange.collective ? program_.collectives[static_cast<std::size_t>(exchange.number)].priority : 0;
  }
  // Entries of a collective's tables at an accelerator.
  std::int64_t entries(ni::ContextId id, topology::NodeId accelerator) const;

  // Whether switches add for a collective.
  bool adding() const { return adding_; }
  // Called when the data of a collective has been found right, before it is forgotten.
  std::function<void(const CompiledCollective& compiled, Verification& verification)> on_verified;
  // Called when all members of a collective or transfer are done with it, in the cycle in which the last is.
  std::function<void(ni::ContextId id, Cycles now)> on_done;
  // Called when the first member joins a collective or transfer.
  std::function<void(ni::ContextId id, Cycles now)> on_first_joined;

  void begin(ni::ContextId id, topology::NodeId accelerator, Cycles now);
  void joined(ni::ContextId id, Cycles now);
  // Verifies the data of a collective when all its members are done; throws ModelError.
  void done(ni::ContextId id, Cycles now);
  // If the collective is the whole program and starts at time 0: records its end at each accelerator.
  void ended_alone(const std::vector<Cycles>& ends);
  // Keeps all data until it is verified at the end: network interfaces may still add when all messages of a
  // collective count.
  void keep_data() { kept_ = true; }
  void verify_kept();
  // Throws an error for wrong data of a collective or transfer: OrderLostError for tables that only the
  // lockstep orders, otherwise ModelError.
  [[noreturn]] void refuse_data(ni::ContextId id, const ni::WrongDataError& wrong) const;

  // The buffer of an address in an accelerator's memory: kBufferBits of the address are within the buffer.
  static constexpr int kBufferBits = 40;
  ni::GradientMemory& memory(ni::ContextId id, topology::NodeId accelerator);

  OperationTimes& times(int rank, std::size_t operation) {
    return times_[static_cast<std::size_t>(rank)][operation];
  }
  const std::vector<OperationTimes>& times(int rank) const { return times_[static_cast<std::size_t>(rank)]; }
  void operation_ended(Cycles now) {
    const std::lock_guard lock(*changing_);
    ++ended_;
    last_ = std::max(last_, now);
  }
  std::int64_t operations() const { return operations_; }
  std::int64_t ended() const { return ended_; }
  Cycles last() const { return last_; }
  std::int64_t messages() const { return messages_; }
  double flit_hops() const { return flit_hops_; }  // of all messages
  std::string verified() const { return verified_; }

  // Cycles of a computation, or of an access to memory, at the nominal speed.
  Cycles duration(const workload::Compute& compute, int rank) const;
  Cycles duration(const workload::MemoryAccess& access) const;

 private:
  int member(const CompiledCollective& compiled, topology::NodeId accelerator) const;
  ni::ContextId add(std::vector<ni::ContextId>& ids, bool collective, std::int32_t number,
                    const CompiledCollective* compiled);
  Verification& verification(ni::ContextId id);
  void place_ranks(int accelerators);
  void verify(ni::ContextId id);

  const config::Config& config_;
  const workload::Program& program_;
  CompiledCollectives& compiler_;
  std::vector<Job> jobs_;
  std::vector<int> ranks_;                  // [accelerator]
  std::vector<ni::ContextId> collectives_;  // [collective]
  std::vector<ni::ContextId> transfers_;    // [transfer]
  std::vector<ExchangeState> exchanges_;
  Bytes kept_bytes_ = 0;  // of all buffers
  // [compiled]: the member of an accelerator that has another number.
  std::map<const CompiledCollective*, std::map<topology::NodeId, int>> members_;
  std::vector<std::vector<OperationTimes>> times_;  // [rank][operation]
  config::Check check_;
  bool adding_ = false;
  bool kept_ = false;
  std::string verified_;
  std::int64_t operations_ = 0;
  std::int64_t ended_ = 0;
  std::int64_t messages_ = 0;
  double flit_hops_ = 0;
  Cycles last_ = 0;
  std::unique_ptr<std::mutex> changing_ = std::make_unique<std::mutex>();
};

// An accelerator's memory as its network interface reads it, buffer by buffer.
class ProgramMemory final : public ni::GradientMemory {
 public:
  ProgramMemory(ProgramState& state, topology::NodeId accelerator)
      : state_(&state), accelerator_(accelerator) {}
  void read(Bytes address, Bytes bytes, ni::Payload& into) const override;
  void reduce(Bytes address, Bytes bytes, const ni::Payload& payload) override;
  void store(Bytes address, Bytes bytes, const ni::Payload& payload) override;

 private:
  static ni::ContextId context(Bytes address) {
    return static_cast<ni::ContextId>(address >> ProgramState::kBufferBits);
  }
  ni::GradientMemory& buffer(Bytes address) const { return state_->memory(context(address), accelerator_); }

  ProgramState* state_;
  topology::NodeId accelerator_;
};

}  // namespace coppice::system
