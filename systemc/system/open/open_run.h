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

// A collective among accelerators, with the configured algorithm.
struct OpenCollective {
  workload::CollectiveOp op = workload::CollectiveOp::kAllReduce;
  Bytes bytes = 0;           // as in collective.size
  std::vector<int> group{};  // accelerators in the collective's order; empty: all
  int root = 0;              // for broadcast and reduce: an accelerator of the group
  int priority = 0;          // higher priorities are served first if contexts are ordered by priority
};

// A configured machine whose messages and collectives are requested during the simulation. Their times are
// exactly those of a program (workload/program.h) whose sends and receives become ready in the cycles of the
// requests. Each run has its own SystemC kernel: a process may have several runs, in sequence or
// simultaneously, in one thread.
class OpenRun {
 public:
  // Identifies a message or collective in flight: a small number that is reused afterwards.
  using Id = std::uint32_t;

  // Uses the configuration's system, fidelity, check and collective algorithms. Throws ConfigError.
  explicit OpenRun(config::Loaded loaded);
  OpenRun(const OpenRun&) = delete;
  OpenRun& operator=(const OpenRun&) = delete;
  ~OpenRun();

  // Sends a message at now() or, between cycles, in the next cycle. send() and collective() throw ConfigError
  // or UnsupportedError for an impossible request, which has no effect.
  Id send(topology::NodeId src, topology::NodeId dst, Bytes bytes);
  // Starts a collective, which all accelerators of its group join at the time at which send() would send.
  Id collective(const OpenCollective& collective);
  // Called at now() when a message has arrived or a collective is done at all its accelerators. It may call
  // send(), collective() and stop(), but no other function that changes the run, and must not throw.
  std::function<void(Id id)> on_done;

  // Simulates up to and including `until`, which must not be before now(). Throws ModelError if the
  // simulation fails, which ends the run, and ConfigError if messages could deadlock.
  void advance(Femtoseconds until);
  // Simulates until nothing is in flight. Throws like advance(), and ModelError for a deadlock.
  void drain();

  // Called from on_done: makes advance() or drain() return at now(). The next call continues with the
  // remaining events of the same time.
  void stop();

  Femtoseconds now() const;
  // Time of the next scheduled event; nullopt: none.
  std::optional<Femtoseconds> next() const;
  std::int64_t in_flight() const { return in_flight_; }
  int accelerators() const { return prepared_->topology.num_accelerators(); }
  config::Fidelity fidelity() const { return loaded_.config.fidelity; }

 private:
  // The operations of a message or collective.
  struct Operations {
    bool collective = false;
    std::int32_t number = 0;  // index in the program's transfers or collectives
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
