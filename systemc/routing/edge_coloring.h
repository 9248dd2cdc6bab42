#pragma once

#include "routing/assigner.h"

namespace coppice::routing {

// Colours the edges of a bipartite multigraph, in which flows are edges from source ToRs to destination ToRs.
// If the maximum degree is D, D colours always suffice (König). Colour c is assigned to the (c modulo n)-th
// of n live spines, so no link carries more than ceil(D / n) flows, which is the optimum. If links have
// failed, n differs between pairs of ToRs and optimality is not guaranteed.
class EdgeColoring final : public PathAssigner {
 public:
  Assignment assign(const ClosLinks& links, std::span<const Flow> flows) override;
};

}  // namespace coppice::routing
