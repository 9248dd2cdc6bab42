#pragma once

#include <span>

#include "schedule/compile/compiler.h"
#include "schedule/trees/scheduled_trees.h"

namespace coppice::schedule {

// Halving-doubling as trees, with the accelerator of every rank, for any number of accelerators that is the
// product of `radices`: ranks are numbers of such digits, the first the lowest, and a level exchanges parts
// among the accelerators that differ in one digit. Halving and doubling are radices of two.
Trees exchange_trees(std::span<const NodeId> accelerators, std::span<const int> radices);

// Recursive halving and doubling (Thakur et al. 2005) over a power of two of accelerators: at each level of
// the reduce-scatter every accelerator exchanges half of what it still sums with the partner whose number
// differs in one bit, the highest first; the all-gather goes back. What a level sends is cut into the chunks
// that it covers, one a timestep, those first that the partner sends on at the next level: the same n-1
// timesteps of one chunk for each phase as the other bandwidth-optimal algorithms, and chunks may overtake
// levels. Seen by chunk, each moves over a binomial tree. Messages are routed. Throws UnsupportedError for
// other numbers.
class HalvingDoublingCompiler final : public Compiler {
 public:
  static AlgorithmInfo info();
  Schedule compile(const topology::Topology& topology, const CompileRequest& request) const override;
};

}  // namespace coppice::schedule
