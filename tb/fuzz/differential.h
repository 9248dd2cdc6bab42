#pragma once

#include <map>
#include <string>

#include "random_system.h"

namespace coppice::fuzz {

// Counts the outcomes for the random systems that a property has tested.
struct Tally {
  int drawn = 0;
  int unsupported = 0;  // systems whose configuration was refused
  int agreed = 0;       // systems on which trains and flits have equal results
  int order_lost = 0;   // systems on which contention broke the order of a lockstep schedule, and the run
                        // reported wrong data
  int expected = 0;     // systems that agreed although the table check predicted contention
  int unexpected = 0;   // systems refused by train although the table check predicted no contention
  int mixed = 0;        // systems with contending trains, whose messages were then sent as flits
  int leaping = 0;      // systems that agreed and on which `fidelity: leap` skipped cycles
  struct Refusals {
    int runs = 0;
    int needless = 0;  // runs with flits in which no flit waited for another message or a credit
  };
  std::map<std::string, Refusals> refused;  // refusals by train, keyed by their reason without numbers

  int compared() const { return drawn - unsupported; }
  double agreed_share() const { return compared() > 0 ? static_cast<double>(agreed) / compared() : 0.0; }
  std::int64_t mixed_messages = 0;
  std::int64_t mixed_as_flits = 0;
  std::int64_t mixed_runs = 0;

  std::string report() const;
};

// Checks that all fidelities agree on `system`; fails with the first difference, and discards configurations
// that are refused. A run at `fidelity: leap` with several threads must equal a run at `fidelity: flit` with
// one thread in every cycle, flit and value. A run at `fidelity: train` must also equal it in every cycle and
// value, or end in ContentionError; in the latter case, no flit may have waited before the reported cycle. If
// contending messages are sent as flits (fabric::MixedFabric), the run must equal it as well. Data may be
// wrong only if a schedule relies on the lockstep, and then at both fidelities (system::OrderLostError). If
// tables can be shared patterns, the trains of one accelerator must give the results of all, including
// statistics.
void require_agreement(const RandomSystem& system, Tally& tally);
// Checks the configuration with the text `yaml` in the same way.
void require_agreement(const std::string& yaml, Tally& tally);

}  // namespace coppice::fuzz
