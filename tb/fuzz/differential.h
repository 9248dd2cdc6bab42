#pragma once

#include <map>
#include <string>

#include "random_system.h"

namespace coppice::fuzz {

// Counts the outcomes of a property's random systems.
struct Tally {
  int drawn = 0;
  int unsupported = 0;  // refused configurations
  int agreed = 0;       // trains and flits have equal results
  int order_lost = 0;   // contended schedules that rely on the lockstep: wrong data, reported as such
  int expected = 0;     // agreed systems whose table check expected trains to meet
  int unexpected = 0;   // refused by train although the table check expected no meeting
  int mixed = 0;        // trains met, and those messages were simulated as flits
  int leaping = 0;      // fidelity: leap skipped cycles, and the results agreed
  struct Refusals {
    int runs = 0;
    int needless = 0;  // no flit waited for another message or a credit at fidelity: flit
  };
  std::map<std::string, Refusals> refused;  // refusals by train: reason without numbers -> counts

  int compared() const { return drawn - unsupported; }
  double agreed_share() const { return compared() > 0 ? static_cast<double>(agreed) / compared() : 0.0; }
  std::int64_t mixed_messages = 0;
  std::int64_t mixed_as_flits = 0;
  std::int64_t mixed_runs = 0;

  std::string report() const;
};

// The property: a run at `fidelity: leap` with several threads equals a run at `fidelity: flit` with one
// thread in every cycle, flit and value, contended or not. A run at `fidelity: train` also equals it in every
// cycle and value, or ends in ContentionError, and no flit waited before the cycle that the error names; if
// messages that meet are flits (fabric::MixedFabric), the run also equals it. Data is wrong only if a
// schedule relies on the lockstep, and then at both fidelities (system::OrderLostError). If tables can be
// patterns, the trains of one accelerator determine those of all, including statistics. Discards refused
// configurations (RapidCheck); fails with the first difference.
void require_agreement(const RandomSystem& system, Tally& tally);
// Checks a configuration file's text.
void require_agreement(const std::string& yaml, Tally& tally);

}  // namespace coppice::fuzz
