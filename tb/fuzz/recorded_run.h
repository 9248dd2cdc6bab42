#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/units.h"
#include "topology/topology.h"

namespace coppice::fuzz {

// Everything observable about a run from outside the fabric.
struct Recording {
  // One row per message, with the columns of kMessageFields, sorted.
  std::vector<std::vector<std::int64_t>> messages;
  std::vector<std::int64_t> channel_flits;
  // A digest of every accelerator's final numbers; empty unless `check: values`.
  std::vector<std::uint64_t> values;
  // Every message's interval on every channel (channel, first cycle, cycle after the last), sorted.
  std::vector<std::vector<std::int64_t>> passages;
  nlohmann::ordered_json result;

  // At `fidelity: flit`: when the first flit waited for anything but its own message.
  Cycles first_stall = -1;
  std::string stall_place;
};

// Column names of Recording::messages.
extern const std::vector<std::string> kMessageFields;

struct Outcome {
  enum class End {
    kDone,
    kContended,    // `fidelity: train` does not apply
    kUnsupported,  // the configuration was refused
    kOrderLost,    // contention in a schedule ordered only by the lockstep; wrong data, reported as such
    kFailed,       // an error of the model
  };
  End end = End::kFailed;
  std::string reason;       // unless done
  Cycles contended_at = 0;  // kContended
  std::int64_t runs = 1;    // number of runs of record_mixed()
  Recording recording;      // kDone
};

// The network of a configuration; nullopt if it is refused.
std::optional<topology::Topology> topology_of(const std::string& yaml);

// Runs any configuration at `fidelity` and records only its result.
Outcome run_once(const std::string& yaml, const std::string& fidelity, int threads);

// Runs the configuration `yaml` of one collective at `fidelity`, in a separate process with up to `threads`
// threads.
Outcome record_run(const std::string& yaml, const std::string& fidelity, int threads = 1);
// Runs symmetric tables as patterns at `fidelity: train`: the messages of all accelerators, or those of one,
// which represent all.
enum class Trains : std::uint8_t { kOfAll, kOfOne };
Outcome record_patterns(const std::string& yaml, Trains trains);
// Runs trains, with flits for messages that meet: repeats the run with the meetings that the previous run
// reported, until no train meets anything. Flit order is not kept, so sums are those of trains.
Outcome record_mixed(const std::string& yaml);
// Two to four threads; always the same number for the same system.
int threads_for(const std::string& yaml);

// Returns the first difference between two runs that should be equal, or "".
std::string first_difference(const Recording& flit, const Recording& train);

}  // namespace coppice::fuzz
