#pragma once

#include "schedule/compile/compiler.h"
#include "schedule/trees/scheduled_trees.h"

namespace coppice::schedule {

// MultiTree's trees in as few timesteps as can be: translated_trees() on a torus and dimension_trees() on a
// mesh of one bandwidth, matching_trees() on other networks without switches and where those miss
// least_steps(), MultiTree's own where they take as few and wait less (waits_of()). With switches,
// MultiTree's own growth, and where it misses least_steps(), with the trees that the fewest accelerators hold
// first, at random among equals, as often as the network's size permits. The same for the same seed.
Trees build_optimal_trees(const topology::Topology& topology, int pieces, std::uint64_t seed);

// CompileRequest::chunks pieces per accelerator: where its chunks do not fill the last timestep
// ((n - 1) mod channels > 0), pieces do it better.
class MultiTreeOptimalCompiler final : public Compiler {
 public:
  static AlgorithmInfo info();
  Schedule compile(const topology::Topology& topology, const CompileRequest& request) const override;
};

}  // namespace coppice::schedule
