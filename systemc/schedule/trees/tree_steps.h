#pragma once

#include <cstdint>
#include <vector>

#include "schedule/compile/channel_paths.h"
#include "topology/topology.h"

namespace coppice::schedule {

using topology::NodeId;

// An edge of a tree. In timestep `step` of the all-gather, the parent sends the tree's data to the child.
struct TreeEdge {
  NodeId parent = topology::kNoNode;
  NodeId child = topology::kNoNode;
  topology::ChannelId channel = -1;  // channel from parent to child; if it is -1, see `path`
  std::int32_t step = 0;             // counted from 1
  // The index into Trees::paths. If it is -1 and there is no channel, the message is routed.
  std::int32_t path = -1;
};

// Spanning trees with their link schedule. Either there are `pieces` trees per accelerator, and trees[f] has
// the root f / pieces, or there are `pieces` trees in total, which all belong to one accelerator.
struct Trees {
  int steps = 0;  // number of timesteps in one phase
  int pieces = 1;
  std::vector<std::vector<TreeEdge>> trees;  // edges in the order of their steps
  std::vector<ChannelPath> paths{};          // paths of edges through switches
  NodeId root = topology::kNoNode;  // root of all trees; kNoNode if every accelerator has its own trees
};

}  // namespace coppice::schedule
