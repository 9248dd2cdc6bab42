#include "schedule/packed_trees/tree_exchange.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

namespace coppice::schedule {
namespace {

using topology::kNoNode;
using topology::NodeId;

// A connected graph. Each link has a hop cost and a number of trees that may use it.
struct Graph {
  int nodes = 0;
  std::vector<SymmetricLink> links;
  std::vector<double> hop_ns;
  std::vector<int> copies;
};

Graph random_links(int most_copies) {
  Graph graph{*rc::gen::inRange(3, 8), {}, {}, {}};
  const auto add = [&](NodeId a, NodeId b) {
    if (a == b) return;
    graph.links.push_back({a, b, static_cast<int>(2 * graph.links.size()), -1});
    graph.hop_ns.push_back(*rc::gen::element(100.0, 150.0, 400.0));
    graph.copies.push_back(*rc::gen::inRange(1, most_copies + 1));
  };
  for (NodeId node = 1; node < graph.nodes; ++node) add(node, *rc::gen::inRange(0, node));
  for (int more = *rc::gen::inRange(2, 12); more > 0; --more) {
    add(*rc::gen::inRange(0, graph.nodes), *rc::gen::inRange(0, graph.nodes));
  }
  return graph;
}

// Packs up to `most` spanning trees with random roots into the graph.
std::vector<RootedTree> packed(const Graph& graph, int most) {
  for (int count = most; count > 0; --count) {
    SpanningForests forests(graph.nodes, graph.links, count);
    for (std::size_t link = 0; link < graph.links.size(); ++link) {
      for (int copy = 0; copy < graph.copies[link]; ++copy) forests.augment(static_cast<int>(link));
    }
    if (!forests.complete()) continue;
    std::vector<RootedTree> trees;
    for (int t = 0; t < count; ++t) trees.push_back(forests.rooted(t, *rc::gen::inRange(0, graph.nodes)));
    return trees;
  }
  return {};
}

std::vector<int> left_over(const Graph& graph, const std::vector<RootedTree>& trees) {
  std::vector<int> left = graph.copies;
  for (const RootedTree& tree : trees) {
    for (const int link : tree.link) {
      if (link >= 0) --left[static_cast<std::size_t>(link)];
    }
  }
  return left;
}

// The distance between `node` and the tree's root. The test fails if the parent links do not lead to the
// root.
double distance(const Graph& graph, const RootedTree& tree, NodeId node) {
  double sum = 0;
  for (int hops = 0; node != tree.root; ++hops) {
    RC_ASSERT(hops < graph.nodes);
    const auto at = static_cast<std::size_t>(node);
    const auto link = static_cast<std::size_t>(tree.link[at]);
    RC_ASSERT(graph.links[link].other_end(node) == tree.parent[at]);
    RC_ASSERT((graph.links[link].a == node || graph.links[link].b == node));
    sum += graph.hop_ns[link];
    node = tree.parent[at];
  }
  return sum;
}

double highest(const Graph& graph, const std::vector<RootedTree>& trees) {
  double most = 0;
  for (const RootedTree& tree : trees) {
    for (NodeId node = 0; node < graph.nodes; ++node) most = std::max(most, distance(graph, tree, node));
  }
  return most;
}

// Wherever the search stops, each tree still spans the graph from its root, and no link is used more often
// than allowed.
RC_GTEST_PROP(FlattenTrees, KeepsTreesAndTheUseOfLinks, ()) {
  const Graph graph = random_links(2);
  std::vector<RootedTree> trees = packed(graph, 3);
  std::vector<NodeId> roots;
  for (const RootedTree& tree : trees) roots.push_back(tree.root);
  std::vector<int> left = left_over(graph, trees);
  flatten_trees(graph.links, graph.hop_ns, left, *rc::gen::inRange(0, 200),
                *rc::gen::arbitrary<std::uint64_t>(), trees);
  for (std::size_t t = 0; t < trees.size(); ++t) {
    RC_ASSERT(trees[t].root == roots[t]);
    RC_ASSERT(trees[t].parent[static_cast<std::size_t>(roots[t])] == kNoNode);
  }
  highest(graph, trees);
  RC_ASSERT(left == left_over(graph, trees));
  RC_ASSERT(*std::ranges::min_element(left) >= 0);
}

// If all links that a single tree does not use are free, the tree becomes a shortest-path tree.
RC_GTEST_PROP(FlattenTrees, MakesALoneTreeShortestPaths, ()) {
  const Graph graph = random_links(1);
  std::vector<RootedTree> trees = packed(graph, 1);
  std::vector<int> left = left_over(graph, trees);
  flatten_trees(graph.links, graph.hop_ns, left, 20'000, *rc::gen::arbitrary<std::uint64_t>(), trees);
  std::vector<double> shortest(static_cast<std::size_t>(graph.nodes),
                               std::numeric_limits<double>::infinity());
  shortest[static_cast<std::size_t>(trees.front().root)] = 0;
  for (int round = 0; round < graph.nodes; ++round) {
    for (std::size_t i = 0; i < graph.links.size(); ++i) {
      double& a = shortest[static_cast<std::size_t>(graph.links[i].a)];
      double& b = shortest[static_cast<std::size_t>(graph.links[i].b)];
      a = std::min(a, b + graph.hop_ns[i]);
      b = std::min(b, a + graph.hop_ns[i]);
    }
  }
  for (NodeId node = 0; node < graph.nodes; ++node) {
    RC_ASSERT(distance(graph, trees.front(), node) <= shortest[static_cast<std::size_t>(node)] + 1e-6);
  }
}

// Two trees together use all links, so they can become flatter only by exchanging links.
TEST(FlattenTrees, ExchangesLinksBetweenTrees) {
  constexpr int kNodes = 6;
  Graph ring{kNodes, {}, std::vector<double>(2 * kNodes - 2, 100), std::vector<int>(2 * kNodes - 2, 1)};
  std::vector<RootedTree> trees(2);
  for (std::size_t t = 0; t < 2; ++t)
    trees[t] = {0, std::vector<NodeId>(kNodes, kNoNode), std::vector<int>(kNodes, -1)};
  // Tree 0 is the path 0-1-2-3-4-5, and tree 1 is the star with centre 0.
  for (NodeId node = 1; node < kNodes; ++node) {
    ring.links.push_back({node - 1, node, 2 * node, 2 * node + 1});
    trees[0].parent[static_cast<std::size_t>(node)] = node - 1;
    trees[0].link[static_cast<std::size_t>(node)] = node - 1;
  }
  for (NodeId node = 1; node < kNodes; ++node) {
    ring.links.push_back({0, node, 20 + 2 * node, 21 + 2 * node});
    trees[1].parent[static_cast<std::size_t>(node)] = 0;
    trees[1].link[static_cast<std::size_t>(node)] = kNodes - 2 + node;
  }
  std::vector<int> left(ring.links.size(), 0);
  flatten_trees(ring.links, ring.hop_ns, left, 20'000, 1, trees);
  EXPECT_LE(highest(ring, trees), 300);
  EXPECT_EQ(left, std::vector<int>(ring.links.size(), 0));
}

}  // namespace
}  // namespace coppice::schedule
