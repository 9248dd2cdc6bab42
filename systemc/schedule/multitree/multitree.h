#pragma once

#include "schedule/compile/compiler.h"
#include "schedule/trees/scheduled_trees.h"

namespace coppice::schedule {

// MultiTree (Huang et al., ISCA 2021): trees and their link schedule built together, timestep by timestep.
// The trees take turns by root, one new node a turn; a tree extends from the nodes it held when the timestep
// began, those that joined first coming first, over the first free out-channel to a node it lacks. Behind a
// channel to a switch it looks for a node on that switch first, then over free channels between switches for
// the nearest switch with one (SwitchSearch), and takes the whole path. Where that takes more than
// least_steps(), long ways have spent the channels of several short ones (43 timesteps instead of 31 on
// BiGraph 4x8): other orders of looking are tried, and the one of the fewest timesteps is taken. A channel of
// k times the slowest one's bandwidth counts as k channels. Throws UnsupportedError if some accelerator
// cannot be reached.
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
