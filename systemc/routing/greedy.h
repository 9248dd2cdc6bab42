#pragma once

#include "routing/assigner.h"

namespace coppice::routing {

// Algorithm 1 of the paper: the flows one after another, each over the path whose busiest link carries the
// fewest flows so far, the lowest spine of equals. At most twice the load of the best assignment
// (Theorem 2), whatever the order, where all ToRs have the same live spines.
class Greedy final : public PathAssigner {
 public:
  Assignment assign(const ClosLinks& links, std::span<const Flow> flows) override;
};

}  // namespace coppice::routing
