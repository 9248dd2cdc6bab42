#pragma once

#include "routing/assigner.h"

namespace coppice::routing {

// Algorithm 1 of the paper: assigns the flows one after another, each to the path whose busiest link carries
// the fewest flows so far, with the lowest spine among equals. If all ToRs have the same live spines, the
// load is at most twice that of the best assignment (Theorem 2), in any order.
class Greedy final : public PathAssigner {
 public:
  Assignment assign(const ClosLinks& links, std::span<const Flow> flows) override;
};

}  // namespace coppice::routing
