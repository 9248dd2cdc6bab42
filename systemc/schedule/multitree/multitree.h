#pragma once

#include "schedule/compile/compiler.h"
#include "schedule/trees/scheduled_trees.h"

namespace coppice::schedule {

// MultiTree (Huang et al., ISCA 2021): trees and their link schedule built together, timestep by timestep.
// The trees take turns by root, adding one node per turn. A tree extends from the nodes it held when the
// timestep began, in the order in which they joined, over the first free out-channel to a node it lacks. If
// that channel leads to a switch, it looks for a node on that switch first, then over free channels between
// switches for the nearest switch with such a node (SwitchSearch), and occupies the whole path. If this takes
// more than least_steps(), long paths have used up the channels of several short ones (43 timesteps instead
// of 31 on BiGraph 4x8); other search orders are then tried, and the result with the fewest timesteps is
// kept. A channel k times as fast as the slowest counts as k channels. Throws UnsupportedError if some
// accelerator cannot be reached.
Trees build_trees(const topology::Topology& topology);

// A broadcast or reduce over rooted_pieces() trees of its root.
Schedule compile_rooted(const topology::Topology& topology, const CompileRequest& request,
                        const std::string& algorithm);

// Broadcast and reduce use the tree of their root, grown alone (grow_trees_of()).
class MultiTreeCompiler final : public Compiler {
 public:
  static AlgorithmInfo info();
  Schedule compile(const topology::Topology& topology, const CompileRequest& request) const override;
};

}  // namespace coppice::schedule
