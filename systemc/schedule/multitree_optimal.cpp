#include "schedule/multitree_optimal.h"

#include <algorithm>
#include <optional>

#include "schedule/dimension_trees.h"
#include "schedule/matching_trees.h"
#include "schedule/translated_trees.h"

namespace coppice::schedule {
namespace {

// Translated trees take milliseconds, matching grows with the cube of the accelerators.
constexpr int kTranslationRestarts = 40;
constexpr std::int64_t kMatchingEffort = 200'000'000;

int matching_restarts(const topology::Topology& topology, int pieces) {
  const std::int64_t n = topology.num_accelerators();
  const std::int64_t work = n * n * n * pieces;
  return static_cast<int>(std::min<std::int64_t>(20, kMatchingEffort / std::max<std::int64_t>(work, 1)));
}

}  // namespace

Trees build_optimal_trees(const topology::Topology& topology, int pieces, std::uint64_t seed) {
  std::optional<Trees> trees = translated_trees(topology, pieces, seed, kTranslationRestarts);
  if (!trees) trees = dimension_trees(topology, pieces, seed);
  if (trees && trees->steps == least_steps(topology, pieces)) return *std::move(trees);
  Trees matched = matching_trees(topology, pieces, seed, matching_restarts(topology, pieces));
  return trees && trees->steps <= matched.steps ? *std::move(trees) : matched;
}

Schedule MultiTreeOptimalCompiler::compile(const topology::Topology& topology,
                                           const CompileRequest& request) const {
  Schedule schedule = schedule_trees(topology, request, "multitree_optimal",
                                     build_optimal_trees(topology, request.chunks, request.seed));
  schedule.least_steps =
      (request.collective == Collective::kAllReduce ? 2 : 1) * least_steps(topology, request.chunks);
  return schedule;
}

}  // namespace coppice::schedule
