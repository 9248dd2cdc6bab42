#pragma once

#include "routing/assigner.h"

namespace coppice::routing {

// The exact method of the paper's comparison: an integer linear program, solved by GLPK's branch and cut. It
// minimises L such that, for every pair of ToRs (u, v), the numbers of flows y(u, s, v) over the live spines
// s sum to the number of the pair's flows, and every link carries at most L flows. Suitable only for small
// instances; throws ModelError if the optimum is not proven within the time limit.
class IntegerProgram final : public PathAssigner {
 public:
  explicit IntegerProgram(double seconds) : seconds_(seconds) {}
  Assignment assign(const ClosLinks& links, std::span<const Flow> flows) override;

 private:
  double seconds_;
};

}  // namespace coppice::routing
