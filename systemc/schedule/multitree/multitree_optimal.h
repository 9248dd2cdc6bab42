#pragma once

#include "schedule/compile/compiler.h"
#include "schedule/trees/scheduled_trees.h"

namespace coppice::schedule {

// Trees like MultiTree's, in as few timesteps as possible. Tori and meshes with a single bandwidth use
// translated_trees() or dimension_trees(). If these miss least_steps(), and on all other networks without
// switches, matching_trees() is used. MultiTree's own trees replace any of these trees if they take as few
// timesteps and wait less (waits_of()). Networks with switches use MultiTree's own growth and, if it misses
// least_steps(), growth in which the trees held by the fewest accelerators go first, at random among equals,
// with as many attempts as the network's size permits. The same seed gives the same trees.
Trees build_optimal_trees(const topology::Topology& topology, int pieces, std::uint64_t seed);

// Uses CompileRequest::chunks pieces per accelerator: whole chunks leave part of the last timestep unused if
// n - 1 is not a multiple of an accelerator's channels; pieces fill it better.
class MultiTreeOptimalCompiler final : public Compiler {
 public:
  static AlgorithmInfo info();
  Schedule compile(const topology::Topology& topology, const CompileRequest& request) const override;
};

}  // namespace coppice::schedule
