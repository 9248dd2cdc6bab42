#pragma once

#include <map>
#include <string>

#include "random_system.h"

namespace coppice::fuzz {

// The fate of the systems that a property has drawn.
struct Tally {
  int drawn = 0;
  int unsupported = 0;  // refused as configurations
  int agreed = 0;       // train = flit in everything
  int order_lost = 0;   // a schedule that relies on the lockstep, contended: wrong data, and said so
  int expected = 0;     // of the agreed, those that the check of the tables expected to meet
  int unexpected = 0;   // refused by train, though the check expected no meeting
  int mixed = 0;        // trains met, and went on beside the flits of those that did
  int leaping = 0;      // cycles were skipped at fidelity: leap, whose result agreed
  struct Refusals {
    int runs = 0;
    int needless = 0;  // no flit waited for another message or a credit at fidelity: flit
  };
  std::map<std::string, Refusals> refused;  // by train; the reason without its numbers

  int compared() const { return drawn - unsupported; }
  double agreed_share() const { return compared() > 0 ? static_cast<double>(agreed) / compared() : 0.0; }
  std::int64_t mixed_messages = 0;
  std::int64_t mixed_as_flits = 0;
  std::int64_t mixed_runs = 0;

  std::string report() const;
};

// The law: a run at `fidelity: leap` in several threads equals that at `fidelity: flit` in one in every
// cycle, flit and value, contended or not. A run at `fidelity: train` equals that at `fidelity: flit` in
// every cycle and every value, or it ends in ContentionError, and no flit waited before the cycle that it
// names; beside flits of those that meet (fabric::MixedFabric), in every cycle and every value too;
// and data is wrong only where a schedule relies on the lockstep, of both alike
// (system::OrderLostError). Where tables can be patterns, trains of one accelerator tell what those of all
// do, down to the statistics. Discards (RapidCheck) what is refused as a configuration; fails with what
// differs first.
void require_agreement(const RandomSystem& system, Tally& tally);
// The same of a configuration file's text.
void require_agreement(const std::string& yaml, Tally& tally);

}  // namespace coppice::fuzz
