#pragma once

#include "schedule/compile/compiler.h"

namespace coppice::schedule {

// MultiTree's trees, one per accelerator in the fewest timesteps, made to release gradients in the order of
// their addresses as C-Cube's trees do: the data is cut into CompileRequest::chunks slices, and every slice
// is an all-reduce of its own over all trees. The reduce-scatter of the next slice goes between the two
// phases of a slice, whose latency it hides. Slices follow each other without a gap, so that the trees'
// bandwidth stays whole; the first slice is final after three phases of 2 K. Over switches, whose ways differ
// in length, the slices may contend where phases meet. Throws UnsupportedError for
// other collectives, more slices than there are elements, and where the trees are not to be had
// (multitree_optimal.h).
class ChainedMultiTreeCompiler final : public Compiler {
 public:
  static AlgorithmInfo info();
  Schedule compile(const topology::Topology& topology, const CompileRequest& request) const override;
};

}  // namespace coppice::schedule
