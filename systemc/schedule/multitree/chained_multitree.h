#pragma once

#include "schedule/compile/compiler.h"

namespace coppice::schedule {

// Uses the trees of multitree_optimal.h such that gradients become final in address order, as with C-Cube's
// trees. The data is cut into CompileRequest::chunks slices, and every slice is a separate all-reduce over
// all trees. The reduce-scatter of the next slice runs between the two phases of a slice and hides their
// latency. Slices follow each other without a gap, so the trees keep their full bandwidth. With K slices, the
// first slice is final after three of the 2 K phases. If there are switches, paths differ in length, so
// slices may contend where one phase follows another. Throws UnsupportedError for other collectives, for more
// slices than elements, and if the trees cannot be built (multitree_optimal.h).
class ChainedMultiTreeCompiler final : public Compiler {
 public:
  static AlgorithmInfo info();
  Schedule compile(const topology::Topology& topology, const CompileRequest& request) const override;
};

}  // namespace coppice::schedule
