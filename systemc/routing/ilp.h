#pragma once

#include "routing/assigner.h"

namespace coppice::routing {

// The exact method of the paper's comparison: an integer linear program, solved by GLPK's branch and cut.
// Minimise L such that for every pair of ToRs the flows y(u, s, v) over its live spines sum to the pair's
// flows, and the flows of every link sum to at most L. For small instances: throws ModelError if the optimum
// is not proven within its time.
class IntegerProgram final : public PathAssigner {
 public:
  explicit IntegerProgram(double seconds) : seconds_(seconds) {}
  Assignment assign(const ClosLinks& links, std::span<const Flow> flows) override;

 private:
  double seconds_;
};

}  // namespace coppice::routing
