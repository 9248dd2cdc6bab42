#pragma once

#include <span>

#include "schedule/compile/compiler.h"
#include "schedule/trees/scheduled_trees.h"

namespace coppice::schedule {

// Builds halving-doubling as trees over `accelerators`, which are listed by rank. The number of accelerators
// must be the product of `radices`. A rank is a number with one digit per radix, the lowest digit first. In
// each level, parts are exchanged among the accelerators whose ranks differ in one digit. All radices are two
// in the original halving-doubling.
Trees exchange_trees(std::span<const NodeId> accelerators, std::span<const int> radices);

// Compiles recursive halving and doubling (Thakur et al. 2005) over a power-of-two number of accelerators. At
// each level of the reduce-scatter, every accelerator exchanges half of the data that it still reduces with
// the partner whose number differs in one bit, starting with the highest bit. The all-gather runs in reverse.
// The data of a level is cut into chunks, one per timestep, in the order in which the partner sends them on
// at the next level. Each phase therefore takes n - 1 timesteps of one chunk, as in other bandwidth-optimal
// algorithms, and a chunk does not wait for the other chunks of its level. Each chunk moves over a binomial
// tree. Messages are routed. Throws UnsupportedError if the number of accelerators is not a power of two.
class HalvingDoublingCompiler final : public Compiler {
 public:
  static AlgorithmInfo info();
  Schedule compile(const topology::Topology& topology, const CompileRequest& request) const override;
};

}  // namespace coppice::schedule
