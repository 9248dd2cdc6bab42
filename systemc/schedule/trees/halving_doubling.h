#pragma once

#include <span>

#include "schedule/compile/compiler.h"
#include "schedule/trees/scheduled_trees.h"

namespace coppice::schedule {

// Halving-doubling as trees over `accelerators` (listed by rank), whose number is the product of `radices`: a
// rank is a number with one digit per radix, the lowest first, and a level exchanges parts among the
// accelerators whose ranks differ in one digit. Halving and doubling use radices of two.
Trees exchange_trees(std::span<const NodeId> accelerators, std::span<const int> radices);

// Recursive halving and doubling (Thakur et al. 2005) over a power-of-two number of accelerators: at each
// level of the reduce-scatter every accelerator exchanges half of the data that it still reduces with the
// partner whose number differs in one bit, highest bit first; the all-gather runs in reverse. The data of a
// level is cut into chunks, one per timestep, in the order in which the partner sends them on at the next
// level. This takes n-1 timesteps of one chunk for each phase, as in other bandwidth-optimal algorithms, and
// a chunk does not wait for the other chunks of its level. Each chunk moves over a binomial tree. Messages
// are routed. Throws UnsupportedError for other numbers of accelerators.
class HalvingDoublingCompiler final : public Compiler {
 public:
  static AlgorithmInfo info();
  Schedule compile(const topology::Topology& topology, const CompileRequest& request) const override;
};

}  // namespace coppice::schedule
