#pragma once

#include "schedule/compile/compiler.h"
#include "schedule/trees/scheduled_trees.h"

namespace coppice::schedule {

// Builds the trees of MultiTree (Huang et al., ISCA 2021) together with their link schedule, timestep by
// timestep. The trees take turns in the order of their roots and add one node per turn. A tree extends from
// the nodes that it contained at the beginning of the timestep, in the order in which they joined. It uses
// the first free outgoing channel to a node that it lacks. If that channel leads to a switch, the search for
// such a node continues at the switch and then at the nearest switches that can be reached over free channels
// between switches (SwitchSearch). The tree then occupies the whole path.
//
// If the trees take more timesteps than least_steps(), long paths have used up the channels of several short
// paths (43 timesteps instead of 31 on BiGraph 4x8). In this case, other search orders are tried, and the
// trees with the fewest timesteps are kept. A channel k times as fast as the slowest counts as k channels.
// Throws UnsupportedError if some accelerator cannot be reached.
Trees build_trees(const topology::Topology& topology);

// Compiles a broadcast or reduce over rooted_pieces() trees of the root.
Schedule compile_rooted(const topology::Topology& topology, const CompileRequest& request,
                        const std::string& algorithm);

// Compiles collectives over the trees of MultiTree. A broadcast or reduce uses only trees of its root
// (grow_trees_of()).
class MultiTreeCompiler final : public Compiler {
 public:
  static AlgorithmInfo info();
  Schedule compile(const topology::Topology& topology, const CompileRequest& request) const override;
};

}  // namespace coppice::schedule
