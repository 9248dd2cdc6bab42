#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/units.h"
#include "topology/topology.h"

namespace coppice::fuzz {

// Everything that can be observed about a run from outside the fabric.
struct Recording {
  // One row per message with the columns of kMessageFields, in sorted order.
  std::vector<std::vector<std::int64_t>> messages;
  std::vector<std::int64_t> channel_flits;
  // A digest of each accelerator's final values; empty unless `check` is `values`.
  std::vector<std::uint64_t> values;
  // The interval in which each message used each channel, as (channel, first cycle, cycle after the last), in
  // sorted order.
  std::vector<std::vector<std::int64_t>> passages;
  nlohmann::ordered_json result;

  // At `fidelity: flit`, the first cycle in which a flit waited for something other than its own message;
  // otherwise -1.
  Cycles first_stall = -1;
  std::string stall_place;
};

// The names of the columns in Recording::messages.
extern const std::vector<std::string> kMessageFields;

struct Outcome {
  enum class End {
    kDone,
    kContended,    // trains contend, so `fidelity: train` does not apply
    kUnsupported,  // the configuration was refused
    kOrderLost,    // contention broke the order of a lockstep schedule, and the run reported wrong data
    kFailed,       // the model reported an error
  };
  End end = End::kFailed;
  std::string reason;       // empty if kDone
  Cycles contended_at = 0;  // the cycle of the contention if kContended
  std::int64_t runs = 1;    // number of runs of record_mixed()
  Recording recording;      // only if kDone
};

// The network of the configuration `yaml`, or nullopt if the configuration is refused.
std::optional<topology::Topology> topology_of(const std::string& yaml);

// Runs any kind of configuration at `fidelity`, but records only its result.
Outcome run_once(const std::string& yaml, const std::string& fidelity, int threads);

// Runs the configuration `yaml` of a collective at `fidelity` and records everything. Uses a separate process
// with up to `threads` threads.
Outcome record_run(const std::string& yaml, const std::string& fidelity, int threads = 1);
// Runs symmetric tables as shared patterns at `fidelity: train`. Simulates either the messages of all
// accelerators (kOfAll), or those of one accelerator, which represents all (kOfOne).
enum class Trains : std::uint8_t { kOfAll, kOfOne };
Outcome record_patterns(const std::string& yaml, Trains trains);
// Runs trains and sends contending messages as flits. Repeats the run with more flit ports until no trains
// contend. Sums have the order of trains, because the order of individual flits is not recorded.
Outcome record_mixed(const std::string& yaml);
// A number of threads from two to four, which is always the same for the same system.
int threads_for(const std::string& yaml);

// Describes the first difference between two runs that should be equal, or returns "".
std::string first_difference(const Recording& flit, const Recording& train);

}  // namespace coppice::fuzz
