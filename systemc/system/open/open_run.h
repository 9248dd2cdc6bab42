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

// A collective among accelerators. Its algorithm is the configured one.
struct OpenCollective {
  workload::CollectiveOp op = workload::CollectiveOp::kAllReduce;
  Bytes bytes = 0;           // the size, defined as for collective.size
  std::vector<int> group{};  // accelerators in the collective's order; empty: all
  int root = 0;              // for broadcast and reduce: an accelerator of the group
  // Collectives with a higher priority are served first if contexts are ordered by priority.
  int priority = 0;
};

// A configured machine whose messages and collectives are requested during the simulation. They take exactly
// as long as in a program (workload/program.h) whose sends, receives and collectives become ready in the
// cycles of the requests. Each run has its own SystemC kernel, so a process may have several runs, in
// sequence or simultaneously, as long as one thread uses them all.
class OpenRun {
 public:
  // Identifies a message or collective in flight. It is a small number, which is reused once the message or
  // collective is done.
  using Id = std::uint32_t;

  // Uses the configuration's system, fidelity, check and collective algorithms. Throws ConfigError.
  explicit OpenRun(config::Loaded loaded);
  OpenRun(const OpenRun&) = delete;
  OpenRun& operator=(const OpenRun&) = delete;
  ~OpenRun();

  // Sends a message at now(), rounded up to a whole cycle. send() and collective() throw ConfigError or
  // UnsupportedError if a request is impossible; it then has no effect.
  Id send(topology::NodeId src, topology::NodeId dst, Bytes bytes);
  // Starts a collective. All accelerators of its group join at now(), rounded up to a whole cycle.
  Id collective(const OpenCollective& collective);
  // Called at now() when a message has arrived, or when a collective is done at all its accelerators. The
  // callback may call send(), collective() and stop(), but no other function that changes the run, and it
  // must not throw.
  std::function<void(Id id)> on_done;

  // Simulates up to and including `until`, which must not be before now(). Throws ConfigError if messages
  // could deadlock. Throws ModelError if the simulation fails; after that, the run cannot be continued.
  void advance(Femtoseconds until);
  // Simulates until nothing is in flight. Throws like advance(), and ModelError for a deadlock.
  void drain();

  // Makes advance() or drain() return at now(); may be called only from on_done. The next call continues with
  // the remaining events of the same time.
  void stop();

  Femtoseconds now() const;
  // The time of the next scheduled event, or nullopt if there is none.
  std::optional<Femtoseconds> next() const;
  std::int64_t in_flight() const { return in_flight_; }
  int accelerators() const { return prepared_->topology.num_accelerators(); }
  config::Fidelity fidelity() const { return loaded_.config.fidelity; }

 private:
  // A message or collective and the operations that its ranks execute.
  struct Operations {
    bool collective = false;
    // Index of the message in the program's transfers, or of the collective in its collectives.
    std::int32_t number = 0;
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
  std::vector<Operations> operations_;                      // [id]: a message or collective
  std::vector<std::int32_t> free_collectives_;              // indices in program_ that can be reused
  std::vector<std::int32_t> free_transfers_;                // indices in program_ that can be reused
  std::vector<std::vector<std::int32_t>> free_operations_;  // [rank]: indices that can be reused
  std::map<std::vector<int>, std::int32_t> groups_;         // [accelerators]: index in program_
  Femtoseconds period_;
  Femtoseconds now_ = 0;  // the time at which the last call returned
  std::int64_t in_flight_ = 0;
  bool begun_ = false;
  bool running_ = false;
  bool draining_ = false;
  bool stopped_ = false;
};

}  // namespace coppice::system
