#include "schedule/packed_trees/stepped_trees.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "schedule/packed_trees/expected_time.h"
#include "schedule/packed_trees/message_timing.h"
#include "schedule/packed_trees/piece_tables.h"
#include "schedule/packed_trees/step_search.h"
#include "schedule/packed_trees/symmetric_links.h"

namespace coppice::schedule {
namespace {

using topology::ChannelId;
using topology::NodeId;
using topology::Topology;

constexpr Femtoseconds kNever = std::numeric_limits<Femtoseconds>::max();

// Shapes are tried with up to kMoreSteps steps more than the minimum, and with up to kFewerTrees trees fewer
// than the channels can carry.
constexpr int kMoreSteps = 2;
constexpr int kFewerTrees = 2;
// The maximum number of searches per combination of tree and step counts, and in total.
constexpr int kStarts = 2;
constexpr int kMostSearches = 8;
// A search tries kTries changes of steps. If all trees together have more than kManyNodes nodes, it tries
// proportionally fewer.
constexpr std::int64_t kTries = 60'000;
constexpr std::int64_t kManyNodes = 200;

struct Shape {
  int steps = 0;  // number of steps per phase
  int trees = 0;
  Femtoseconds promise = 0;
};

// Whether all links have the same bandwidth, so that all messages of a step take equally long.
bool alike(const Topology& topology, const std::vector<SymmetricLink>& links) {
  const Bandwidth first = topology.channel(links.front().there).bandwidth;
  return std::ranges::all_of(links, [&](const SymmetricLink& link) {
    return topology.channel(link.there).bandwidth.bytes_per_second == first.bytes_per_second;
  });
}

// The number of edges from the most central accelerator to the accelerator farthest from it.
int least_depth(int nodes, const std::vector<SymmetricLink>& links) {
  int least = nodes;
  for (NodeId root = 0; root < nodes; ++root) {
    std::vector<int> depth(static_cast<std::size_t>(nodes), nodes);
    depth[static_cast<std::size_t>(root)] = 0;
    for (bool changed = true; changed;) {
      changed = false;
      for (const SymmetricLink& link : links) {
        int& a = depth[static_cast<std::size_t>(link.a)];
        int& b = depth[static_cast<std::size_t>(link.b)];
        if (a + 1 >= b && b + 1 >= a) continue;
        (a < b ? b : a) = std::min(a, b) + 1;
        changed = true;
      }
    }
    least = std::min(least, *std::ranges::max_element(depth));
  }
  return least;
}

std::vector<Shape> shapes(const Topology& topology, const CompileRequest& request,
                          const std::vector<SymmetricLink>& links, Femtoseconds limit) {
  const MessageTiming timing(topology, request);
  const ChannelId channel = links.front().there;
  const int n = topology.num_accelerators();
  const int fewest = least_depth(n, links);
  std::vector<Shape> found;
  for (int steps = fewest; steps <= fewest + kMoreSteps; ++steps) {
    const int most = 2 * static_cast<int>(links.size()) * steps / (n - 1);
    for (int trees = most; trees >= std::max(1, most - kFewerTrees); --trees) {
      const Bytes share = (request.size + trees - 1) / trees;
      if (share < request.element) continue;
      const Femtoseconds promise =
          2 * steps * (timing.busy(channel, share) + timing.delay({&channel, 1}, Op::kGather));
      if (promise < limit) found.push_back({steps, trees, promise});
    }
  }
  std::ranges::stable_sort(found, {}, &Shape::promise);
  return found;
}

Schedule build(const Topology& topology, const CompileRequest& request, const std::string& algorithm,
               const std::vector<SymmetricLink>& links, const StepSearch& found, const Shape& shape) {
  std::vector<PackedTree> trees(static_cast<std::size_t>(shape.trees));
  PieceSchedule order;
  for (int t = 0; t < shape.trees; ++t) {
    PackedTree& tree = trees[static_cast<std::size_t>(t)];
    for (NodeId node = 0; node < topology.num_accelerators(); ++node) {
      const int used = found.link(t, node);
      if (used < 0) {
        tree.root = node;
        continue;
      }
      // The search has two directed links per symmetric link: first the link to b, then the link to a.
      const SymmetricLink& link = links[static_cast<std::size_t>(used / 2)];
      const NodeId parent = link.other_end(node);
      const int step = found.step(t, node);
      const auto hop = static_cast<std::int32_t>(tree.hops.size());
      tree.hops.push_back({Op::kReduce, node, parent, {link.from(node)}});
      order.messages.push_back({.tree = t, .hop = hop, .step = shape.steps + 1 - step});
      tree.hops.push_back({Op::kGather, parent, node, {link.from(parent)}});
      order.messages.push_back({.tree = t, .hop = hop + 1, .step = shape.steps + step});
    }
  }
  std::ranges::stable_sort(order.messages, {}, &TimedPiece::step);
  Schedule schedule =
      build_piece_tables(topology, request, algorithm, trees,
                         split_into_chunks(request.size, request.element, shape.trees), order);
  schedule.chunks = 1;
  return schedule;
}

}  // namespace

PackedTables pack_in_steps(const Topology& topology, const CompileRequest& request,
                           const std::string& algorithm, Femtoseconds limit) {
  const int n = topology.num_accelerators();
  if (n == 1 || request.timing.message_setup == 0 || request.chunks != kAutomaticChunks ||
      request.collective != Collective::kAllReduce) {
    return {std::nullopt, kNever};
  }
  const auto links = symmetric_links(topology);
  if (!links || links->empty() || !alike(topology, *links)) return {std::nullopt, kNever};
  std::vector<StepSearch::Link> ways;
  for (const SymmetricLink& link : *links) {
    ways.push_back({link.a, link.b});
    ways.push_back({link.b, link.a});
  }
  int searches = 0;
  for (const Shape& shape : shapes(topology, request, *links, limit)) {
    const std::int64_t joins = std::int64_t{shape.trees} * n;
    const auto tries = static_cast<int>(kTries * kManyNodes / std::max(joins, kManyNodes));
    for (int start = 0; start < kStarts && searches < kMostSearches; ++start, ++searches) {
      StepSearch search(n, ways, shape.trees, shape.steps, request.seed + static_cast<std::uint64_t>(start));
      if (!search.run(tries)) continue;
      Schedule schedule = build(topology, request, algorithm, *links, search, shape);
      const Femtoseconds expected = expected_time(topology, request, schedule, limit);
      if (expected < limit) return {std::move(schedule), expected};
      break;
    }
  }
  return {std::nullopt, kNever};
}

}  // namespace coppice::schedule
