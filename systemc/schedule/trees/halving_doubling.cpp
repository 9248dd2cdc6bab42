#include "schedule/trees/halving_doubling.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <numeric>

#include "base/error.h"
#include "schedule/compile/memory_limit.h"
#include "schedule/trees/scheduled_trees.h"

namespace coppice::schedule {
namespace {

// The reduce-scatter's edge at which rank `node` sends the chunk of `owner`, as the all-gather's edge
// backwards.
TreeEdge binomial_edge(unsigned n, unsigned owner, unsigned node) {
  const unsigned distance = std::bit_floor(owner ^ node);  // the bit of this level
  // Chunks of a level whose owners differ from the node in the next lower bits go on first.
  const unsigned place = ~(owner ^ node) & (distance - 1);
  const unsigned before = n - 2 * distance;  // timesteps of the levels before: n/2 + n/4 + ... + 2 distance
  const unsigned reduce_step = before + place + 1;
  return {.parent = static_cast<NodeId>(node ^ distance),
          .child = static_cast<NodeId>(node),
          .step = static_cast<std::int32_t>(n - reduce_step)};
}

}  // namespace

Trees halving_doubling_trees(std::span<const NodeId> accelerators) {
  const auto n = static_cast<unsigned>(accelerators.size());
  Trees trees{.steps = static_cast<int>(n) - 1, .pieces = 1, .trees = {}};
  trees.trees.resize(n);
  for (unsigned owner = 0; owner < n; ++owner) {
    auto& tree = trees.trees[static_cast<std::size_t>(accelerators[owner])];
    for (unsigned node = 0; node < n; ++node) {
      if (node == owner) continue;
      TreeEdge edge = binomial_edge(n, owner, node);
      edge.parent = accelerators[static_cast<std::size_t>(edge.parent)];
      edge.child = accelerators[static_cast<std::size_t>(edge.child)];
      tree.push_back(edge);
    }
    std::ranges::stable_sort(tree, {}, &TreeEdge::step);
  }
  return trees;
}

AlgorithmInfo HalvingDoublingCompiler::info() {
  return {.name = "halving_doubling",
          .summary = "recursive halving and doubling over a power of two of accelerators",
          .one_plane = true,
          .trials = {{.turn = 5, .most_accelerators = 1024}}};
}

Schedule HalvingDoublingCompiler::compile(const topology::Topology& topology,
                                          const CompileRequest& request) const {
  require_whole_chunks(request, info().name);
  const auto n = static_cast<unsigned>(topology.num_accelerators());
  if (!std::has_single_bit(n)) {
    throw UnsupportedError(
        fmt::format("halving_doubling pairs accelerators by the bits of their numbers: it needs a "
                    "power of two of them, and {} has {}",
                    topology.name(), n));
  }
  require_memory_for_trees(info().name, n, request);
  std::vector<NodeId> ranks(n);
  std::iota(ranks.begin(), ranks.end(), 0);
  return schedule_trees(topology, request, info().name, halving_doubling_trees(ranks));
}

}  // namespace coppice::schedule
