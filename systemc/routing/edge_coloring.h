#pragma once

#include "routing/assigner.h"

namespace coppice::routing {

// The flows as the edges of a bipartite multigraph of source and destination ToRs, coloured with as many
// colours as its largest degree D, which always suffice (König); colour c is assigned the (c modulo n)-th of
// n live spines, so no link carries more than ceil(D / n) flows: the optimum. With failed links, n differs
// between pairs of ToRs and there is no guarantee.
class EdgeColoring final : public PathAssigner {
 public:
  Assignment assign(const ClosLinks& links, std::span<const Flow> flows) override;
};

}  // namespace coppice::routing
