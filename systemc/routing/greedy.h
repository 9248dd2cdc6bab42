#pragma once

#include "routing/assigner.h"

namespace coppice::routing {

// Algorithm 1 of the paper: assigns the flows one after another, each to the path whose busier link carries
// the fewest flows so far. Ties are broken by the lowest spine number. If all ToRs have the same live spines,
// the maximum load is at most twice that of the best assignment (Theorem 2), whatever the order of the flows.
class Greedy final : public PathAssigner {
 public:
  Assignment assign(const ClosLinks& links, std::span<const Flow> flows) override;
};

}  // namespace coppice::routing
