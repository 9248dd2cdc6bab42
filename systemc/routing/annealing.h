#pragma once

#include "routing/assigner.h"

namespace coppice::routing {

// Simulated annealing as in Hedera (Al-Fares et al. 2010, Sec. 4.3). The state assigns a spine to every
// destination accelerator, and all flows to the accelerator use that spine. A move swaps the spines of two
// destinations: with equal probability, either any two or two on the same ToR. A flow that cannot use its
// destination's spine uses the next live spine. The initial state is global first fit: the first spine whose
// links are both free (Sec. 4.2) or, if there is none, the spine that ECMP's hash selects. The cost is the
// sum of (load - 1)^2 over all links with a load above 1. There are 20,000 moves, during which the
// temperature falls geometrically from 2 to 0.05; the result is the best state found.
class Annealing final : public PathAssigner {
 public:
  explicit Annealing(std::uint64_t seed) : seed_(seed) {}
  Assignment assign(const ClosLinks& links, std::span<const Flow> flows) override;

 private:
  std::uint64_t seed_;
};

}  // namespace coppice::routing
