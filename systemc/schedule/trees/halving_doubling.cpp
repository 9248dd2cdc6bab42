#include "schedule/trees/halving_doubling.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <numeric>

#include "base/error.h"
#include "schedule/compile/effort.h"
#include "schedule/compile/memory_limit.h"
#include "schedule/trees/scheduled_trees.h"

namespace coppice::schedule {
namespace {

// Returns the edge over which rank `node` sends the chunk of `owner` in the reduce-scatter. It is described
// by the reverse edge, which the all-gather uses.
TreeEdge exchange_edge(std::span<const int> radices, int n, int owner, int node) {
  // If the lower digits of a chunk's owner differ more from those of the node, the chunk is forwarded earlier
  // in its level.
  int place = 0;  // position among the chunks with the same lower digits
  int below = 1;  // number of a rank's chunks that differ only in lower digits
  struct Level {
    int distance;  // distance in this digit
    int radix;
    int place;
    int below;
    int difference;
  };
  Level highest{};  // level of the highest digit that differs
  for (const int radix : radices) {
    const int apart = (owner / below % radix - node / below % radix + radix) % radix;
    if (apart != 0) {
      const int digit = node / below % radix;
      highest = {apart, radix, place, below, ((digit + apart) % radix - digit) * below};
    }
    place += (radix - 1 - apart) * below;
    below *= radix;
  }
  const int before = n - highest.radix * highest.below;  // number of timesteps of the previous levels
  const int reduce_step = before + (highest.distance - 1) * highest.below + highest.place + 1;
  return {.parent = static_cast<NodeId>(node + highest.difference),
          .child = static_cast<NodeId>(node),
          .step = static_cast<std::int32_t>(n - reduce_step)};
}

}  // namespace

Trees exchange_trees(std::span<const NodeId> accelerators, std::span<const int> radices) {
  const auto n = static_cast<int>(accelerators.size());
  Trees trees{.steps = n - 1, .pieces = 1, .trees = {}};
  trees.trees.resize(accelerators.size());
  for (int owner = 0; owner < n; ++owner) {
    auto& tree = trees.trees[static_cast<std::size_t>(accelerators[static_cast<std::size_t>(owner)])];
    for (int node = 0; node < n; ++node) {
      if (node == owner) continue;
      TreeEdge edge = exchange_edge(radices, n, owner, node);
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
          .summary = "recursive halving and doubling over a power-of-two number of accelerators",
          .one_plane = true,
          .trials = {{.turn = 5, .seconds = seconds_of_messages}}};
}

Schedule HalvingDoublingCompiler::compile(const topology::Topology& topology,
                                          const CompileRequest& request) const {
  require_whole_chunks(request, info().name);
  const auto n = static_cast<unsigned>(topology.num_accelerators());
  if (!std::has_single_bit(n)) {
    throw UnsupportedError(fmt::format(
        "halving_doubling needs a power-of-two number of accelerators, but {} has {}", topology.name(), n));
  }
  require_memory_for_trees(info().name, n, request);
  std::vector<NodeId> ranks(n);
  std::iota(ranks.begin(), ranks.end(), 0);
  return schedule_trees(
      topology, request, info().name,
      exchange_trees(ranks, std::vector<int>(static_cast<std::size_t>(std::countr_zero(n)), 2)));
}

}  // namespace coppice::schedule
