#include "schedule/multitree/multitree_optimal.h"

#include <algorithm>
#include <optional>

#include "base/random.h"
#include "schedule/compile/effort.h"
#include "schedule/compile/memory_limit.h"
#include "schedule/multitree/matching_trees.h"
#include "schedule/multitree/mesh_trees.h"
#include "schedule/multitree/multitree.h"
#include "schedule/multitree/piece_count.h"
#include "schedule/multitree/slow_links.h"
#include "schedule/multitree/torus_trees.h"
#include "schedule/multitree/tree_growth.h"
#include "schedule/trees/link_allocator.h"
#include "schedule/trees/translated_schedule.h"
#include "topology/networks/kinds.h"

namespace coppice::schedule {
namespace {

// Building translated trees takes milliseconds. The time for matching grows with the cube of the number of
// accelerators.
constexpr int kTranslationRestarts = 40;
constexpr int kMostToGrow = 256;  // maximum number of accelerators for which trees are also grown
constexpr std::int64_t kMatchingEffort = 200'000'000;

int matching_restarts(const topology::Topology& topology, int pieces) {
  const std::int64_t n = topology.num_accelerators();
  const std::int64_t work = n * n * n * pieces;
  return static_cast<int>(std::min<std::int64_t>(20, kMatchingEffort / std::max<std::int64_t>(work, 1)));
}

// Whether `trees` take fewer timesteps than `than` or, with equally many timesteps, are shallower.
bool is_better(const Trees& trees, const Trees& than) {
  return trees.steps < than.steps || (trees.steps == than.steps && depth_of(trees) < depth_of(than));
}

Trees trees_over_switches(const topology::Topology& topology, int pieces, std::uint64_t seed) {
  const int least = least_steps(topology, pieces);
  Trees best = grow_trees(topology, pieces, kLookingOrders.front());
  for (std::size_t i = 1; i < kLookingOrders.size() && best.steps > least; ++i) {
    Trees trees = grow_trees(topology, pieces, kLookingOrders[i]);
    if (is_better(trees, best)) best = std::move(trees);
  }
  const int restarts = matching_restarts(topology, pieces);
  for (int attempt = 0; attempt < restarts && best.steps > least; ++attempt) {
    Random random(seed, static_cast<std::uint64_t>(attempt));
    Trees trees = grow_trees(
        topology, pieces, kLookingOrders[static_cast<std::size_t>(attempt) % kLookingOrders.size()], &random);
    if (is_better(trees, best)) best = std::move(trees);
  }
  return best;
}

int phases(const CompileRequest& request) {
  return request.collective == Collective::kAllReduce ? 2 : 1;
}

Bytes divide_up(Bytes dividend, Bytes divisor) {
  return (dividend + divisor - 1) / divisor;
}

// Returns the schedule for a torus whose translated trees need only least_steps() timesteps; otherwise
// nullopt.
std::optional<Schedule> compile_symmetric(const topology::Topology& topology, const CompileRequest& request) {
  const int pieces = request.chunks;
  if (!may_translate(topology, request, pieces)) return std::nullopt;
  const auto trees = trees_to_translate(topology, pieces, request.seed, kTranslationRestarts);
  if (trees->steps > least_steps(topology, pieces)) return std::nullopt;
  Schedule schedule = schedule_translations(topology, request, MultiTreeOptimalCompiler::info().name, *trees);
  schedule.least_steps = phases(request) * trees->steps;
  return schedule;
}

Schedule compile_trees(const topology::Topology& topology, const CompileRequest& request,
                       const Trees& trees) {
  Schedule schedule = schedule_trees(topology, request, MultiTreeOptimalCompiler::info().name, trees);
  const int least = least_steps(topology, trees.pieces);
  // If slow links are omitted, timesteps are shorter, so their number cannot be compared with the bound.
  schedule.least_steps = trees.steps < least ? 0 : phases(request) * least;
  return schedule;
}

// Pieces fill the last timestep and reduce the time for which ports wait for recent arrivals. With switches,
// however, pieces block each other. With many accelerators, they save too little time to justify building
// their trees.
Schedule compile_automatic(const topology::Topology& topology, const CompileRequest& request) {
  constexpr int kMostPieces = 4;
  constexpr int kMostAccelerators = 64;
  const int n = topology.num_accelerators();
  const Bytes chunk = request.size / n;
  const bool pays = topology.num_switches() == 0 && n > 1 && n <= kMostAccelerators;
  CompileRequest chosen = request;
  chosen.chunks = 1;
  Schedule schedule;
  if (!pays) {
    schedule = MultiTreeOptimalCompiler().compile(topology, chosen);
  } else {
    Trees best;
    Femtoseconds least = 0;
    for (int pieces = 1; pieces <= kMostPieces; ++pieces) {
      if (pieces > 1 && chunk < pieces * request.element) break;
      Trees trees = build_optimal_trees(topology, pieces, request.seed);
      const Femtoseconds time = predicted_time(topology, request, trees, divide_up(chunk, pieces));
      if (pieces > 1 && time >= least) continue;
      least = time;
      best = std::move(trees);
    }
    chosen.chunks = best.pieces;
    schedule = compile_trees(topology, chosen, best);
  }
  schedule.chunks = chosen.chunks;
  return schedule;
}

Trees build_trees_over(const topology::Topology& topology, int pieces, std::uint64_t seed) {
  if (topology.num_switches() > 0) return trees_over_switches(topology, pieces, seed);
  const int least = least_steps(topology, pieces);
  std::optional<Trees> trees;
  if (LinkAllocator(topology).uniform()) {
    trees = translated_trees(topology, pieces, seed, kTranslationRestarts);
    if (!trees) trees = dimension_trees(topology, pieces, seed);
  }
  if (!trees || trees->steps > least) {
    Trees matched = matching_trees(topology, pieces, seed, matching_restarts(topology, pieces));
    if (!trees || matched.steps < trees->steps) trees = std::move(matched);
  }
  if (topology.num_accelerators() > kMostToGrow) return *std::move(trees);
  // MultiTree's own trees sometimes take the same number of timesteps but wait less for data that has only
  // just arrived.
  Trees grown = grow_trees(topology, pieces, LookingOrder::kAsFarAsNeeded);
  const bool better = grown.steps == trees->steps && waits_of(grown) < waits_of(*trees);
  return better ? grown : *std::move(trees);
}

}  // namespace

Trees build_optimal_trees(const topology::Topology& topology, int pieces, std::uint64_t seed) {
  return build_without_slow_links(
      topology, [&](const topology::Topology& network) { return build_trees_over(network, pieces, seed); });
}

namespace {

// Building translated trees takes negligible time. On other networks, trees are grown and matched repeatedly.
double seconds_of_search(const topology::Topology& topology, const CompileRequest& request) {
  if (request.root >= 0) return seconds_of_growth(topology, request);
  if (looks_alike(topology, request)) return seconds_at(topology, 0.1, 1);
  const double grown = seconds_of_growth(topology, request);
  if (topology.num_switches() > 0) return 8 * grown;
  return topology::info_of(topology.kind()).grid ? grown : 3 * grown;
}

}  // namespace

AlgorithmInfo MultiTreeOptimalCompiler::info() {
  return {.name = "multitree_optimal",
          .summary = "like multitree, but in the fewest timesteps that the channels allow",
          .chunking = Chunking::kChosen,
          .rooted = true,
          .trials = {{.turn = 1, .chunks = kAutomaticChunks, .seconds = seconds_of_search}}};
}

Schedule MultiTreeOptimalCompiler::compile(const topology::Topology& topology,
                                           const CompileRequest& request) const {
  if (request.root >= 0) return compile_rooted(topology, request, MultiTreeOptimalCompiler::info().name);
  if (request.chunks == kAutomaticChunks) return compile_automatic(topology, request);
  std::optional<Schedule> symmetric = compile_symmetric(topology, request);
  if (symmetric) return *std::move(symmetric);
  require_memory_for_trees(info().name, topology.num_accelerators(), request);
  return compile_trees(topology, request, build_optimal_trees(topology, request.chunks, request.seed));
}

}  // namespace coppice::schedule
