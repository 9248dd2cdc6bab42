#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/units.h"
#include "config/loader.h"
#include "system/machine/run_options.h"
#include "system/process/kernel_context.h"
#include "system/program/job_programs.h"
#include "system/program/program_machine.h"
#include "topology/topology.h"
#include "workload/program.h"

namespace coppice::system {

// A collective among accelerators, with the algorithm that the configuration names.
struct OpenCollective {
  workload::CollectiveOp op = workload::CollectiveOp::kAllReduce;
  Bytes bytes = 0;           // as in collective.size
  std::vector<int> group{};  // accelerators in the collective's order; empty: all
  int root = 0;              // of broadcast and reduce: an accelerator of the group
  int priority = 0;          // higher priorities are served first if the order of contexts is by priority
};

// The machine of a configuration, with messages and collectives requested during the simulation. They take
// exactly the time of a program's (workload/program.h) whose sends and receives are ready in the cycle of the
// request.
//
// It has its own SystemC kernel: a process may have several runs, one after another or side by side, in one
// thread.
class OpenRun {
 public:
  // The identity of a message or collective in flight: a small number, reused afterwards.
  using Id = std::uint32_t;

  // Takes the system, fidelity and check of a configuration, and the algorithms of its collectives. Throws
  // ConfigError.
  explicit OpenRun(config::Loaded loaded);
  OpenRun(const OpenRun&) = delete;
  OpenRun& operator=(const OpenRun&) = delete;
  ~OpenRun();

  // Sends a message now, or from the next cycle on. Both throw ConfigError or UnsupportedError for an
  // impossible request, which then has no effect.
  Id send(topology::NodeId src, topology::NodeId dst, Bytes bytes);
  // All accelerators of its group join a collective, as send() does.
  Id collective(const OpenCollective& collective);
  // Called when a message has arrived, or a collective is done at all its accelerators, at time now(). It may
  // call send() and collective(), and no other function that changes the run. Must not throw.
  std::function<void(Id id)> on_done;

  // Simulates everything up to and including this time, which must not be before now(). Throws ModelError if
  // the simulation fails, which ends the run, and ConfigError if messages could deadlock.
  void advance(Femtoseconds until);
  // Simulates until nothing is in flight. Throws ModelError, also for a deadlock.
  void drain();

  // From on_done: advance() or drain() returns at this time; the next call continues with the remaining
  // events of that time.
  void stop();

  Femtoseconds now() const;
  // The time of the next scheduled event; nullopt: none.
  std::optional<Femtoseconds> next() const;
  std::int64_t in_flight() const { return in_flight_; }
  int accelerators() const { return prepared_->topology.num_accelerators(); }
  config::Fidelity fidelity() const { return loaded_.config.fidelity; }

 private:
  // The operations of a message or collective, as ranks and their indices.
  struct Operations {
    bool collective = false;
    std::int32_t number = 0;  // in the program's list
    std::vector<std::pair<int, std::int32_t>> of_ranks;
  };

  std::int32_t allocate_collective(const OpenCollective& collective);
  std::int32_t allocate_transfer(topology::NodeId src, topology::NodeId dst, Bytes bytes);
  std::int32_t group_of(const std::vector<int>& accelerators);
  template <typename Work>
  void add(Operations& operations, int rank, const Work& work);
  void begin(Id id);
  void done(Id id);
  void require_accelerator(int accelerator, const char* what) const;
  void simulate(const sc_core::sc_time& duration);
  [[noreturn]] void refuse_deadlock();
  Femtoseconds kernel_time() const;

  config::Loaded loaded_;
  workload::Program program_;
  std::vector<Job> jobs_;
  const RunOptions options_;
  KernelContext kernel_;
  std::unique_ptr<PreparedProgram> prepared_;
  std::unique_ptr<ProgramMachine> machine_;
  std::vector<Operations> operations_;                      // [id]
  std::vector<std::int32_t> free_collectives_;              // in program_
  std::vector<std::int32_t> free_transfers_;                // in program_
  std::vector<std::vector<std::int32_t>> free_operations_;  // [rank]
  std::map<std::vector<int>, std::int32_t> groups_;         // in program_
  Femtoseconds period_;
  Femtoseconds now_ = 0;  // as of the last call
  std::int64_t in_flight_ = 0;
  bool begun_ = false;
  bool running_ = false;
  bool draining_ = false;
  bool stopped_ = false;
};

}  // namespace coppice::system
