#pragma once

#include <cstdint>
#include <vector>

#include "schedule/compile/channel_paths.h"
#include "topology/topology.h"

namespace coppice::schedule {

using topology::NodeId;

// An edge of a tree, over which the parent sends the tree's data to the child in `step` of the all-gather.
struct TreeEdge {
  NodeId parent = topology::kNoNode;
  NodeId child = topology::kNoNode;
  topology::ChannelId channel = -1;  // from parent to child; -1: see `path`
  std::int32_t step = 0;             // from 1
  std::int32_t path = -1;            // index into Trees::paths; -1 without a channel: the message is routed
};

// Spanning trees with their link schedule: `pieces` per accelerator, trees[f] rooted at f / pieces; or
// `pieces` trees of one accelerator.
struct Trees {
  int steps = 0;  // timesteps of one phase
  int pieces = 1;
  std::vector<std::vector<TreeEdge>> trees;  // edges in the order of their steps
  std::vector<ChannelPath> paths{};          // of edges through switches
  NodeId root = topology::kNoNode;  // root of all trees; kNoNode: every accelerator has its own trees
};

}  // namespace coppice::schedule
