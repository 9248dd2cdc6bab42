#pragma once

#include <rapidcheck.h>

#include <set>
#include <utility>
#include <vector>

#include "schedule/trees.h"

namespace coppice::schedule {

// What holds of all trees that are built with their link schedule: they span, they extend only from nodes
// that joined in earlier timesteps, over channels that exist, and no channel serves two trees in one
// timestep.
inline void require_tree_laws(const topology::Topology& topology, const Trees& trees) {
  const auto n = static_cast<std::size_t>(topology.num_accelerators());
  RC_ASSERT(trees.trees.size() == n * static_cast<std::size_t>(trees.pieces));
  std::set<std::pair<topology::ChannelId, int>> used;
  for (std::size_t tree = 0; tree < trees.trees.size(); ++tree) {
    std::vector<int> joined(n, -1);
    joined[tree / static_cast<std::size_t>(trees.pieces)] = 0;
    for (const TreeEdge& edge : trees.trees[tree]) {
      const topology::Channel& channel = topology.channel(edge.channel);
      RC_ASSERT(channel.src == edge.parent);
      RC_ASSERT(channel.dst == edge.child);
      const int parent = joined[static_cast<std::size_t>(edge.parent)];
      RC_ASSERT(parent >= 0);
      RC_ASSERT(parent < edge.step);
      RC_ASSERT(edge.step <= trees.steps);
      RC_ASSERT(std::exchange(joined[static_cast<std::size_t>(edge.child)], edge.step) == -1);
      RC_ASSERT((used.insert({edge.channel, edge.step}).second));
    }
    RC_ASSERT(trees.trees[tree].size() == n - 1);
  }
  RC_ASSERT(trees.steps >= least_steps(topology, trees.pieces));
}

}  // namespace coppice::schedule
