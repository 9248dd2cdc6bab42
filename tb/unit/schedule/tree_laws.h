#pragma once

#include <rapidcheck.h>

#include <map>
#include <utility>
#include <vector>

#include "schedule/trees/link_allocator.h"
#include "schedule/trees/scheduled_trees.h"

namespace coppice::schedule {

// Checks trees that were built together with their link schedule. They must span all accelerators. Edges must
// use existing channels, pass through no other accelerator, and start at nodes that joined in earlier
// timesteps. In a timestep, a channel may serve at most as many trees as its bandwidth is a multiple of the
// slowest channel's.
inline void require_tree_laws(const topology::Topology& topology, const Trees& trees) {
  const auto n = static_cast<std::size_t>(topology.num_accelerators());
  RC_ASSERT(trees.trees.size() == n * static_cast<std::size_t>(trees.pieces));
  const LinkAllocator capacities(topology);
  std::map<std::pair<topology::ChannelId, int>, int> used;
  for (std::size_t tree = 0; tree < trees.trees.size(); ++tree) {
    std::vector<int> joined(n, -1);
    joined[tree / static_cast<std::size_t>(trees.pieces)] = 0;
    for (const TreeEdge& edge : trees.trees[tree]) {
      const ChannelPath path =
          edge.path < 0 ? ChannelPath{edge.channel} : trees.paths[static_cast<std::size_t>(edge.path)];
      NodeId at = edge.parent;
      for (const topology::ChannelId id : path) {
        RC_ASSERT(topology.channel(id).src == at);
        at = topology.channel(id).dst;
        RC_ASSERT(topology.is_accelerator(at) == (id == path.back()));
        RC_ASSERT((++used[{id, edge.step}] <= capacities.capacity(id)));
      }
      RC_ASSERT(at == edge.child);
      const int parent = joined[static_cast<std::size_t>(edge.parent)];
      RC_ASSERT(parent >= 0);
      RC_ASSERT(parent < edge.step);
      RC_ASSERT(edge.step <= trees.steps);
      RC_ASSERT(std::exchange(joined[static_cast<std::size_t>(edge.child)], edge.step) == -1);
    }
    RC_ASSERT(trees.trees[tree].size() == n - 1);
  }
  RC_ASSERT(trees.steps >= least_steps(topology, trees.pieces));
}

}  // namespace coppice::schedule
