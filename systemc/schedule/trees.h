#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "schedule/compiler.h"
#include "schedule/schedule.h"

namespace coppice::schedule {

// A node joins a tree: its parent sends it the tree's chunk in `step` of the all-gather.
struct TreeEdge {
  NodeId parent = topology::kNoNode;
  NodeId child = topology::kNoNode;
  topology::ChannelId channel = -1;  // from parent to child
  std::int32_t step = 0;             // from 1
};

// Spanning trees built together with their link schedule, one per accelerator: trees[a] is rooted at a.
struct Trees {
  int steps = 0;                             // timesteps of one phase
  std::vector<std::vector<TreeEdge>> trees;  // edges in the order of their steps, parents before children
};

// The collective over `trees`, a chunk per tree: all-gather follows the trees; reduce-scatter runs them
// reversed in time and direction, first. Throws UnsupportedError where a channel has none back.
Schedule schedule_trees(const topology::Topology& topology, const CompileRequest& request,
                        const std::string& algorithm, const Trees& trees);

// The fewest timesteps in which every accelerator can receive a chunk of every other, over channels that
// carry one chunk a step: the largest over accelerators of ceil((n - 1) / in-channels).
int ingress_bound(const topology::Topology& topology);

}  // namespace coppice::schedule
