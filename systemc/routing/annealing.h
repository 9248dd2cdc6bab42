#pragma once

#include "routing/assigner.h"

namespace coppice::routing {

// Simulated annealing after Hedera (Al-Fares et al. 2010, Sec. 4.3). The state assigns every destination
// accelerator a spine, which all flows to it use; a move swaps the spines of two destinations, either of any
// two or of two on one ToR, with equal probability. A flow that cannot use its destination's spine uses the
// next live one. The initial state is global first fit (the first spine whose links are both free, Sec. 4.2;
// otherwise the hash). The cost is the sum over links of (load - 1)^2 above 1. There are 20,000 moves, with a
// geometric temperature schedule from 2 to 0.05; the result is the best state seen.
class Annealing final : public PathAssigner {
 public:
  explicit Annealing(std::uint64_t seed) : seed_(seed) {}
  Assignment assign(const ClosLinks& links, std::span<const Flow> flows) override;

 private:
  std::uint64_t seed_;
};

}  // namespace coppice::routing
