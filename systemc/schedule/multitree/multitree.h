#pragma once

#include "schedule/compile/compiler.h"
#include "schedule/trees/scheduled_trees.h"

namespace coppice::schedule {

// MultiTree (Huang et al., ISCA 2021): trees and their link schedule built together, timestep by timestep.
// The trees take turns by root, adding one node per turn. A tree extends from the nodes it held when the
// timestep began, in the order in which they joined, over the first free out-channel to a node it lacks. If
// that channel leads to a switch, the search for such a node continues at the switch, then at the nearest
// switches that free channels between switches reach (SwitchSearch), and the tree occupies the whole path. If
// the trees take more than least_steps(), long paths have used up the channels of several short ones (43
// timesteps instead of 31 on BiGraph 4x8). Other search orders are then tried, and the trees with the fewest
// timesteps are kept. A channel k times as fast as the slowest counts as k channels. Throws UnsupportedError
// if some accelerator cannot be reached.
Trees build_trees(const topology::Topology& topology);

// A broadcast or reduce over rooted_pieces() trees of the root.
Schedule compile_rooted(const topology::Topology& topology, const CompileRequest& request,
                        const std::string& algorithm);

// A broadcast or reduce uses only trees of its root (grow_trees_of()).
class MultiTreeCompiler final : public Compiler {
 public:
  static AlgorithmInfo info();
  Schedule compile(const topology::Topology& topology, const CompileRequest& request) const override;
};

}  // namespace coppice::schedule
