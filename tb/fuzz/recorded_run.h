#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/units.h"
#include "topology/topology.h"

namespace coppice::fuzz {

// All that one can see of a run from outside the fabric.
struct Recording {
  // One row per message in the order of kMessageFields, sorted.
  std::vector<std::vector<std::int64_t>> messages;
  std::vector<std::int64_t> channel_flits;
  // A digest of every accelerator's final numbers; empty unless `check: values`.
  std::vector<std::uint64_t> values;
  // Every message's stay on every channel: channel, first cycle, cycle after the last; sorted.
  std::vector<std::vector<std::int64_t>> passages;
  nlohmann::ordered_json result;

  // flit: the first flit that had to wait for anything but its own message.
  Cycles first_stall = -1;
  std::string stall_place;
};

// Names of the columns of Recording::messages.
extern const std::vector<std::string> kMessageFields;

struct Outcome {
  enum class End {
    kDone,
    kContended,    // `fidelity: train` does not apply
    kUnsupported,  // the configuration is refused
    kOrderLost,    // a schedule that only the lockstep orders met contention; wrong data, and said so
    kFailed,       // the model is at fault
  };
  End end = End::kFailed;
  std::string reason;       // unless done
  Cycles contended_at = 0;  // kContended
  std::int64_t runs = 1;    // of record_mixed()
  Recording recording;      // kDone
};

// The network of a configuration; nullopt if it is refused.
std::optional<topology::Topology> topology_of(const std::string& yaml);

// Runs any configuration at `fidelity` and records its result alone.
Outcome run_once(const std::string& yaml, const std::string& fidelity, int threads);

// Runs the configuration `yaml`, of one collective, at `fidelity`, in a process of its own, in up to
// `threads` threads.
Outcome record_run(const std::string& yaml, const std::string& fidelity, int threads = 1);
// The same with tables that are kept as a pattern wherever they look alike from all accelerators, at
// `fidelity: train`: the messages of one accelerator tell those of all, or those of all run.
enum class Trains : std::uint8_t { kOfAll, kOfOne };
Outcome record_patterns(const std::string& yaml, Trains trains);
// Trains, and flits where those meet: runs again with what the last run says, until trains meet nothing. The
// order of flits is not kept, so that sums are those of trains.
Outcome record_mixed(const std::string& yaml);
// Two to four threads, always as many for the same system.
int threads_for(const std::string& yaml);

// The first difference between two runs that should be equal, or "".
std::string first_difference(const Recording& flit, const Recording& train);

}  // namespace coppice::fuzz
