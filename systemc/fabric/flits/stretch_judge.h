#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/units.h"

namespace coppice::fabric {

// The number of attempted stretches (NodeStretch), and the work that they saved, in units of a single flit's
// cost. The saving is negative if stretches cost more than they saved.
struct StretchGain {
  std::int64_t tries = 0;
  std::int64_t flits = 0;

  StretchGain& operator+=(const StretchGain& other) {
    tries += other.tries;
    flits += other.flits;
    return *this;
  }
};

// Decides whether the network as a whole should use stretches. The decision is common to all nodes because a
// node in a stretch sends runs, and a neighbour outside a stretch needs more time for runs than for single
// flits. If stretches have cost more than they saved, no node begins one for a while. This pause doubles each
// time, up to a limit.
class StretchJudge {
 public:
  explicit StretchJudge(std::size_t nodes) : enough_(kTries * static_cast<std::int64_t>(nodes)) {}

  void add(const StretchGain& gain) { gain_ += gain; }
  // Returns the cycle before which no node may begin a stretch; `now` if stretches remain enabled. Call this
  // in cycle `now`.
  Cycles judge(Cycles now) {
    if (gain_.tries < enough_) return now;
    const bool pays = gain_.flits >= 0;
    gain_ = {};
    const Cycles rest = pays ? 0 : kFirstRest << doublings_;
    doublings_ = pays ? 0 : std::min(doublings_ + 1, kMostDoublings);
    return now + rest;
  }

 private:
  // The average number of attempts per node before the gain is judged.
  static constexpr std::int64_t kTries = 8;
  static constexpr Cycles kFirstRest = 1 << 14;
  static constexpr int kMostDoublings = 3;

  std::int64_t enough_;
  StretchGain gain_;
  int doublings_ = 0;
};

}  // namespace coppice::fabric
