#include "schedule/packed_trees/routed_trees.h"

#include <algorithm>

#include "schedule/packed_trees/piece_choice.h"
#include "schedule/packed_trees/piece_tables.h"
#include "schedule/packed_trees/routed_packing.h"

namespace coppice::schedule {
namespace {

using topology::NodeId;
using topology::Topology;

constexpr int kMostTreeNodes = 4'200;        // limit on the total number of nodes of all trees
constexpr int kLeastTrees = 16;              // number of trees allowed regardless of kMostTreeNodes
constexpr std::int64_t kGrowth = 3'000'000;  // limit on the steps of all rounds
constexpr int kMostRounds = 16;
constexpr std::size_t kChoices = 3;

// The numbers of trees per owner to try.
std::vector<int> tree_counts(const Topology& topology, const CompileRequest& request, int owners) {
  const int n = topology.num_accelerators();
  const int limit = std::max(kMostTreeNodes / n, kLeastTrees) / owners;
  const Bytes elements = std::max<Bytes>(request.size / request.element / owners, 1);
  const auto most =
      static_cast<int>(std::clamp<Bytes>(elements / std::max(request.chunks, 1), 1, std::max(limit, 1)));
  std::vector<int> counts;
  for (const int count : {1, 2, 3, 4, 6, 8, 16, 32, 64, 128, n / 2, n}) {
    if (count >= 1 && count <= most) counts.push_back(count);
  }
  std::ranges::sort(counts);
  counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
  return counts;
}

TreeChoice estimate(const Topology& topology, const CompileRequest& request, std::vector<PackedTree> trees) {
  const PieceScheduler scheduler(topology, request, trees);
  const auto count = static_cast<int>(trees.size());
  TreeChoice best{std::move(trees), 1, -1};
  for (const int pieces : piece_counts(request, topology.num_accelerators(), count)) {
    const Bytes each = Bytes{count} * pieces;
    const Bytes piece = std::max<Bytes>((request.size + each - 1) / each, request.element);
    const auto period = static_cast<double>(scheduler.period(piece));
    const auto latency = static_cast<double>(scheduler.latency(piece));
    const double time = pieces * period + latency - kHidden * std::min(period, latency);
    if (best.estimate >= 0 && time >= best.estimate) continue;
    best.estimate = time;
    best.pieces = pieces;
  }
  return best;
}

}  // namespace

std::int64_t routed_steps(int accelerators, std::int64_t trees) {
  return std::int64_t{accelerators} * accelerators * trees;
}

std::vector<TreeChoice> choose_routed_trees(const Topology& topology, const CompileRequest& request) {
  const int n = topology.num_accelerators();
  const int owners = owners_of(topology, request);
  const TreeDirections ways{.up = request.collective != Collective::kAllGather,
                            .down = request.collective != Collective::kReduceScatter};
  std::vector<TreeChoice> estimates;
  for (const int count : tree_counts(topology, request, owners)) {
    std::vector<NodeId> roots;
    for (int owner = 0; owner < owners; ++owner) {
      for (int i = 0; i < count; ++i) roots.push_back(owners > 1 ? owner : request.root);
    }
    const std::int64_t steps = routed_steps(n, static_cast<std::int64_t>(roots.size()));
    const auto rounds = static_cast<int>(std::clamp<std::int64_t>(kGrowth / steps, 1, kMostRounds));
    estimates.push_back(
        estimate(topology, request, pack_routed(topology, request, roots, ways, rounds).trees));
  }
  std::ranges::stable_sort(estimates, {}, &TreeChoice::estimate);
  std::vector<TreeChoice> result;
  const double least = estimates.front().estimate;
  for (TreeChoice& choice : estimates) {
    if (result.size() < kChoices && choice.estimate <= kWorthTrying * least)
      result.push_back(std::move(choice));
  }
  return result;
}

}  // namespace coppice::schedule
