#pragma once

#include "schedule/compile/compiler.h"
#include "schedule/trees/scheduled_trees.h"

namespace coppice::schedule {

// Builds trees like those of MultiTree, but with as few timesteps as possible. Tori and meshes with a single
// bandwidth use translated_trees() or dimension_trees(). If these miss least_steps(), and on all other
// networks without switches, matching_trees() is used. If MultiTree's own trees take the same number of
// timesteps but wait less (waits_of()), they are used instead. On networks with switches, trees are grown as
// in MultiTree. If the result misses least_steps(), the trees are grown again, as often as the size of the
// network permits; the trees with the fewest accelerators then come first, and ties are broken at random. The
// same seed always yields the same trees.
Trees build_optimal_trees(const topology::Topology& topology, int pieces, std::uint64_t seed);

// Compiles collectives over the trees of build_optimal_trees(). The trees carry CompileRequest::chunks pieces
// per accelerator. If n - 1 is not a multiple of the number of an accelerator's channels, whole chunks leave
// a part of the last timestep unused; pieces fill it better.
class MultiTreeOptimalCompiler final : public Compiler {
 public:
  static AlgorithmInfo info();
  Schedule compile(const topology::Topology& topology, const CompileRequest& request) const override;
};

}  // namespace coppice::schedule
