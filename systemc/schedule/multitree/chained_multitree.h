#pragma once

#include "schedule/compile/compiler.h"

namespace coppice::schedule {

// The trees of multitree_optimal.h, arranged to complete gradients in address order as C-Cube's trees do: the
// data is cut into CompileRequest::chunks slices, and every slice is a separate all-reduce over all trees.
// The reduce-scatter of the next slice runs between the two phases of a slice and hides their latency. Slices
// follow each other without a gap, so the trees keep their full bandwidth; with K slices, the first is final
// after three of the 2 K phases. With switches, paths differ in length, so slices may contend where one phase
// follows another. Throws UnsupportedError for other collectives, for more slices than elements, and if the
// trees cannot be built (multitree_optimal.h).
class ChainedMultiTreeCompiler final : public Compiler {
 public:
  static AlgorithmInfo info();
  Schedule compile(const topology::Topology& topology, const CompileRequest& request) const override;
};

}  // namespace coppice::schedule
