#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "config/settings/config.h"
#include "ni/issue/table_context.h"
#include "ni/memory/gradient_memory.h"
#include "system/collective/verification.h"
#include "system/program/compiled_collectives.h"
#include "system/program/job_programs.h"
#include "workload/program.h"

namespace coppice::system {

// The cycles in which an operation of a rank becomes ready (all its predecessors have ended), begins (it
// computes, or may move data) and ends; -1 if that has not happened yet.
struct OperationTimes {
  Cycles ready = -1;
  Cycles begun = -1;
  Cycles ended = -1;
};

// The state of a collective or transfer during the run.
class ExchangeState {
 public:
  bool collective = true;                        // false: a transfer
  std::int32_t number = 0;                       // index in Program::collectives or Program::transfers
  const CompiledCollective* compiled = nullptr;  // nullptr for a group of one rank, which moves no data
  std::unique_ptr<Verification> verification;    // exists from the first join until the last member is done
  int joined = 0;
  int done = 0;
  Cycles first_joined = -1;
  Cycles last_joined = -1;
  Cycles ended = -1;
  std::vector<Cycles> begun{};  // [interface]: the cycle in which its tables were started; empty: cycle 0
  CheckedElements checked{};    // set when the data is verified
};

// The state that the accelerators of a program share: the program, its compiled collectives, and their
// progress. Accelerators may run in several threads (share_among_threads()), so changes within a cycle must
// have the same effect in any order.
class ProgramState {
 public:
  // Compiles the collectives. Every rank must belong to one of `jobs`. All references must outlive this
  // object. Throws ConfigError.
  ProgramState(const config::Loaded& loaded, const workload::Program& program, std::vector<Job> jobs,
               CollectiveSource& compiler);

  const workload::Program& program() const { return program_; }
  const config::Config& config() const { return config_; }
  const std::vector<Job>& jobs() const { return jobs_; }
  // The earliest time at which a rank's operations may start.
  Femtoseconds begins(int rank) const;
  topology::NodeId accelerator(int rank) const;
  // The rank that runs on an accelerator; -1 if there is none.
  int rank_on(topology::NodeId accelerator) const {
    const auto index = static_cast<std::size_t>(accelerator);
    return index < ranks_.size() ? ranks_[index] : -1;
  }

  // The numbers of collectives and transfers, which serve as context IDs of the interfaces. Collectives are
  // numbered from 1 on, and transfers have the numbers after them.
  ni::ContextId context_of(const workload::JoinCollective& join) const {
    return collectives_[static_cast<std::size_t>(join.collective)];
  }
  ni::ContextId context_of_transfer(std::int32_t transfer) const {
    return transfers_[static_cast<std::size_t>(transfer)];
  }
  // Compile collective or transfer `number` of a growing program, and return its context ID. The collective
  // or transfer is new or replaces a finished one. Throw ConfigError.
  ni::ContextId add_collective(std::int32_t number);
  ni::ContextId add_transfer(std::int32_t number);
  // Adds state for a new operation of a rank.
  void add_operation(int rank);
  ni::ContextId exchanges() const { return static_cast<ni::ContextId>(exchanges_.size()); }
  const ExchangeState& exchange(ni::ContextId id) const { return exchanges_[id - 1]; }
  // The index of an accelerator among the members of a collective or transfer.
  topology::NodeId member(ni::ContextId id, topology::NodeId accelerator) const {
    return member(*exchanges_[id - 1].compiled, accelerator);
  }
  // The cycle in which the tables of a collective or transfer were started at an accelerator.
  Cycles begun(ni::ContextId id, topology::NodeId accelerator) const {
    const ExchangeState& exchange = exchanges_[id - 1];
    return exchange.begun.empty() ? 0 : exchange.begun[static_cast<std::size_t>(member(id, accelerator))];
  }
  // The tables of a collective or transfer that an accelerator's network interface loads.
  ni::ContextTables tables(ni::ContextId id, topology::NodeId accelerator);
  // The priority of a collective or transfer. Higher priorities are served first; transfers have priority 0.
  int priority(ni::ContextId id) const {
    const ExchangeState& exchange = exchanges_[id - 1];
    return exchange.collective ? program_.collectives[static_cast<std::size_t>(exchange.number)].priority : 0;
  }
  // The number of entries in a collective's tables at an accelerator.
  std::int64_t entries(ni::ContextId id, topology::NodeId accelerator) const;

  // Whether any collective uses reducing switches.
  bool adding() const { return adding_; }
  // Called when the data of a collective has been verified, before the data is released.
  std::function<void(const CompiledCollective& compiled, Verification& verification)> on_verified;
  // Called in the cycle in which the last member of a collective or transfer is done.
  std::function<void(ni::ContextId id, Cycles now)> on_done;
  // Called when the first member joins a collective or transfer.
  std::function<void(ni::ContextId id, Cycles now)> on_first_joined;

  void begin(ni::ContextId id, topology::NodeId accelerator, Cycles now);
  void joined(ni::ContextId id, Cycles now);
  // Records that one more member is done. When all members are done, verifies the data; throws ModelError if
  // the data is wrong.
  void done(ni::ContextId id, Cycles now);
  // Records when the only collective, which starts at time 0, ended at each accelerator.
  void ended_alone(const std::vector<Cycles>& ends);
  // Keeps all data until the end of the run and verifies it then, since network interfaces may still add data
  // after all messages of a collective have been counted.
  void keep_data() { kept_ = true; }
  // Called before the simulation if several threads will run accelerators.
  void share_among_threads() { shared_ = true; }
  void verify_kept();
  // Throws the error for wrong data: OrderLostError if the schedule relies on the lockstep for its order,
  // otherwise ModelError.
  [[noreturn]] void refuse_data(ni::ContextId id, const ni::WrongDataError& wrong) const;

  // An address in an accelerator's memory consists of a buffer number and an offset in the low kBufferBits.
  static constexpr int kBufferBits = 40;
  ni::GradientMemory& memory(ni::ContextId id, topology::NodeId accelerator);

  OperationTimes& times(int rank, std::size_t operation) {
    return times_[static_cast<std::size_t>(rank)][operation];
  }
  const std::vector<OperationTimes>& times(int rank) const { return times_[static_cast<std::size_t>(rank)]; }
  void operation_ended(Cycles now) {
    const auto lock = exclusive();
    ++ended_;
    last_ = std::max(last_, now);
  }
  std::int64_t operations() const { return operations_; }
  std::int64_t ended() const { return ended_; }
  Cycles last() const { return last_; }
  std::int64_t messages() const { return messages_; }
  double flit_hops() const { return flit_hops_; }  // sum over all messages
  std::string verified() const { return verified_; }

  // The number of cycles of a computation or memory access at nominal speed.
  Cycles duration(const workload::Compute& compute, int rank) const;
  Cycles duration(const workload::MemoryAccess& access) const;

 private:
  int member(const CompiledCollective& compiled, topology::NodeId accelerator) const;
  ni::ContextId add(std::vector<ni::ContextId>& ids, bool collective, std::int32_t number,
                    const CompiledCollective* compiled);
  Verification& verification(ni::ContextId id);
  // Excludes other threads, if there are any, until the lock is destroyed.
  std::unique_lock<std::mutex> exclusive() const {
    return shared_ ? std::unique_lock(*changing_) : std::unique_lock<std::mutex>();
  }
  void place_ranks(int accelerators);
  void verify(ni::ContextId id);

  const config::Config& config_;
  const workload::Program& program_;
  CollectiveSource& compiler_;
  std::vector<Job> jobs_;
  std::vector<int> ranks_;                  // [accelerator]: rank; -1: none
  std::vector<ni::ContextId> collectives_;  // [collective]: context ID
  std::vector<ni::ContextId> transfers_;    // [transfer]: context ID
  std::vector<ExchangeState> exchanges_;
  Bytes kept_bytes_ = 0;  // sum over all buffers
  // The buffers of finished transfers, restarted, if the program reuses transfers.
  std::unordered_map<const CompiledCollective*, std::vector<std::unique_ptr<Verification>>> spare_;
  // [compiled][accelerator]: the accelerator's index among the members. Members before the first one whose
  // index differs from its accelerator's number are left out.
  std::map<const CompiledCollective*, std::map<topology::NodeId, int>> members_;
  std::vector<std::vector<OperationTimes>> times_;  // [rank][operation]: its times
  config::Check check_;
  bool adding_ = false;
  bool folded_ = false;  // whether one copy of the program represents others
  bool kept_ = false;
  bool shared_ = false;
  bool reuses_ = false;  // whether collectives or transfers have replaced finished ones
  std::string verified_;
  std::int64_t operations_ = 0;
  std::int64_t ended_ = 0;
  std::int64_t messages_ = 0;
  double flit_hops_ = 0;
  Cycles last_ = 0;
  std::unique_ptr<std::mutex> changing_ = std::make_unique<std::mutex>();
};

// An accelerator's memory as its network interface accesses it. Each collective or transfer has a buffer.
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
