#pragma once

#include <map>
#include <string>

#include "random_system.h"

namespace coppice::fuzz {

// Outcomes of the systems that a property has drawn.
struct Tally {
  int drawn = 0;
  int unsupported = 0;  // refused configurations
  int agreed = 0;       // trains equal flits in all results
  int order_lost = 0;   // contended schedules that rely on the lockstep: wrong data, reported as such
  int expected = 0;     // agreed systems in which the check of the tables expected trains to meet
  int unexpected = 0;   // refused by train although the check expected no meeting
  int mixed = 0;        // trains met, and the run continued with flits for them
  int leaping = 0;      // fidelity: leap skipped cycles, and the results agreed
  struct Refusals {
    int runs = 0;
    int needless = 0;  // no flit waited for another message or a credit at fidelity: flit
  };
  std::map<std::string, Refusals> refused;  // refusals by train, by reason without numbers

  int compared() const { return drawn - unsupported; }
  double agreed_share() const { return compared() > 0 ? static_cast<double>(agreed) / compared() : 0.0; }
  std::int64_t mixed_messages = 0;
  std::int64_t mixed_as_flits = 0;
  std::int64_t mixed_runs = 0;

  std::string report() const;
};

// The law: a run at `fidelity: leap` in several threads equals that at `fidelity: flit` in one in every
// cycle, flit and value, contended or not. A run at `fidelity: train` equals that at `fidelity: flit` in
// every cycle and value, or ends in ContentionError, and no flit waited before the cycle that it names; with
// flits for messages that meet (fabric::MixedFabric) it equals it as well. Data is wrong only if a schedule
// relies on the lockstep, at both fidelities (system::OrderLostError). If tables can be patterns, the trains
// of one accelerator determine those of all, including statistics. Discards (RapidCheck) refused
// configurations; fails with the first difference.
void require_agreement(const RandomSystem& system, Tally& tally);
// The same for the text of a configuration file.
void require_agreement(const std::string& yaml, Tally& tally);

}  // namespace coppice::fuzz
