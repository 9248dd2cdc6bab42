#pragma once

#include "routing/assigner.h"

namespace coppice::routing {

// Simulated annealing after Hedera (Al-Fares et al. 2010, Sec. 4.3): the state gives every destination
// accelerator a spine, which all flows to it take; a move swaps the spines of two destinations, anywhere or
// of one ToR, half of the time each. A flow that may not use its destination's spine takes the next live one.
//
// kHedera: starts from global first fit (the first spine whose links are both free, Sec. 4.2; else the hash);
// cost = sum over links of (load - 1)^2 above 1; 20,000 moves, temperature 2 to 0.05 geometrically; the best
// state seen is the answer. kPublished: as the study's published code runs it: starts from the accelerator's
// index in its ToR; cost = largest load x links that have it; temperature 1,000, times 0.99 a move, down to
// 0.1; the last state is the answer.
class Annealing final : public PathAssigner {
 public:
  Annealing(AnnealingKind kind, std::uint64_t seed) : kind_(kind), seed_(seed) {}
  Assignment assign(const ClosLinks& links, std::span<const Flow> flows) override;

 private:
  AnnealingKind kind_;
  std::uint64_t seed_;
};

}  // namespace coppice::routing
