#include "schedule/packed_trees/link_packing.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>

#include "machine.h"
#include "topology/bounds/bound.h"

namespace coppice::schedule {
namespace {

using topology::NodeId;
using topology::Topology;

// The height of a tree: the maximum, over all accelerators, of the summed hop costs between root and
// accelerator.
double height_ns(const RootedTree& tree, std::span<const double> hop_ns) {
  double highest = 0;
  for (std::size_t node = 0; node < tree.parent.size(); ++node) {
    double height = 0;
    for (auto at = static_cast<NodeId>(node); at != tree.root;
         at = tree.parent[static_cast<std::size_t>(at)]) {
      height += hop_ns[static_cast<std::size_t>(tree.link[static_cast<std::size_t>(at)])];
    }
    highest = std::max(highest, height);
  }
  return highest;
}

// A random connected graph with bandwidths of 1 to `rates` GB/s. Some links are parallel.
Topology random_links(int rates) {
  const int n = *rc::gen::inRange(2, 8);
  Topology graph(topology::Kind::kFile, {}, n, 0);
  const auto connect = [&](NodeId a, NodeId b) {
    if (a == b) return;
    const Bandwidth rate{*rc::gen::inRange(1, rates + 1) * 1'000'000'000LL};
    graph.add_channel(a, b, rate, 0);
    graph.add_channel(b, a, rate, 0);
  };
  for (NodeId node = 1; node < n; ++node) connect(node, *rc::gen::inRange(0, node));
  for (int more = *rc::gen::inRange(0, 10); more > 0; --more) {
    connect(*rc::gen::inRange(0, n), *rc::gen::inRange(0, n));
  }
  return graph;
}

// The graph's strength in bytes per second (Nash-Williams, Tutte): over all partitions, the minimum of the
// bandwidth between parts divided by the number of parts minus 1.
double strength(const Topology& graph) {
  const int n = graph.num_accelerators();
  std::vector<int> part(static_cast<std::size_t>(n), 0);
  double least = std::numeric_limits<double>::infinity();
  const std::function<void(int, int)> visit = [&](int node, int parts) {
    if (node < n) {
      for (int p = 0; p <= parts; ++p) {
        part[static_cast<std::size_t>(node)] = p;
        visit(node + 1, std::max(parts, p + 1));
      }
      return;
    }
    if (parts < 2) return;
    double across = 0;
    for (const topology::Channel& channel : graph.channels()) {
      const bool crosses =
          part[static_cast<std::size_t>(channel.src)] != part[static_cast<std::size_t>(channel.dst)];
      if (crosses) across += static_cast<double>(channel.bandwidth.bytes_per_second) / 2;
    }
    least = std::min(least, across / (parts - 1));
  };
  visit(0, 0);
  return least;
}

void require_packing(const Topology& graph, std::span<const SymmetricLink> links,
                     const LinkPacking& packing) {
  const auto n = static_cast<std::size_t>(graph.num_accelerators());
  std::vector<int> used(links.size(), 0);
  for (const RootedTree& tree : packing.trees) {
    std::vector<NodeId> group(n);
    std::iota(group.begin(), group.end(), 0);
    for (std::size_t node = 0; node < n; ++node) {
      if (static_cast<NodeId>(node) == tree.root) continue;
      const SymmetricLink& link = links[static_cast<std::size_t>(tree.link[node])];
      ++used[static_cast<std::size_t>(tree.link[node])];
      RC_ASSERT(link.other_end(tree.parent[node]) == static_cast<NodeId>(node));
      const NodeId from = group[static_cast<std::size_t>(link.a)];
      const NodeId into = group[static_cast<std::size_t>(link.b)];
      RC_ASSERT(from != into);
      std::ranges::replace(group, from, into);
    }
  }
  for (std::size_t i = 0; i < links.size(); ++i) {
    RC_ASSERT(used[i] <= packing.copies[i]);
    const double rate = static_cast<double>(graph.channel(links[i].there).bandwidth.bytes_per_second);
    RC_ASSERT(used[i] * 1e9 / rate <= packing.ns_per_byte * (1 + 1e-9));
  }
}

RC_GTEST_PROP(LinkPacking, SpansAndRespectsTheBandwidth, ()) {
  const Topology graph = random_links(5);
  const auto links = symmetric_links(graph).value();
  const int count = *rc::gen::inRange(1, 12);
  LinkPacking packing = least_congestion(graph, links, count);
  const std::vector<double> hop_ns(links.size(), *rc::gen::element(1.0, 150.0));
  shape_trees(graph, links, hop_ns, 500, 1, count, packing);
  RC_ASSERT(packing.trees.size() == static_cast<std::size_t>(count));
  require_packing(graph, links, packing);
}

RC_GTEST_PROP(LinkPacking, IsNeverBetterThanTheStrengthAndReachesIt, ()) {
  const Topology graph = random_links(3);
  const auto links = symmetric_links(graph).value();
  const double least = strength(graph);
  double best = 0;
  // Bandwidths are whole GB/s, and partitions have at most 7 parts. Therefore, for some of these counts, the
  // ideal number of uses of every link is an integer.
  for (int count = 1; count <= 60; ++count) {
    const LinkPacking packing = least_congestion(graph, links, count);
    const double rate = count * 1e9 / packing.ns_per_byte;
    RC_ASSERT(rate <= least * (1 + 1e-9));
    RC_ASSERT(packing.ns_per_byte >= congestion_bound_ns(graph, links, count) * (1 - 1e-12));
    best = std::max(best, rate);
  }
  RC_ASSERT(best > least * 0.97);
  // If the strength in GB/s times (parts - 1) is an integer, this number of trees reaches the strength
  // exactly.
  for (int parts = 1; parts <= 6; ++parts) {
    const double trees = least / 1e9 * parts;
    if (std::abs(trees - std::round(trees)) > 1e-9) continue;
    const auto count = static_cast<int>(std::lround(trees));
    RC_ASSERT(least_congestion(graph, links, count).ns_per_byte * least <= count * 1e9 * (1 + 1e-9));
  }
}

// Compares packings, which are found by matroid sums, with a bound from minimum cuts and Dinkelbach's
// iteration. A link is used a whole number of times, so rounding may cost one use more than the bound.
RC_GTEST_PROP(LinkPacking, AgreesWithTheWeakestPartition, ()) {
  const int n = *rc::gen::inRange(2, 25);
  Topology graph(topology::Kind::kFile, {}, n, 0);
  const auto connect = [&](NodeId a, NodeId b) {
    const Bandwidth rate{*rc::gen::inRange(1, 10) * 1'000'000'000LL};
    graph.add_channel(a, b, rate, 0);
    graph.add_channel(b, a, rate, 0);
  };
  for (NodeId node = 1; node < n; ++node) connect(node, *rc::gen::inRange(0, node));
  for (int more = *rc::gen::inRange(0, 2 * n); more > 0; --more) {
    const NodeId a = *rc::gen::inRange(0, n);
    if (const NodeId b = *rc::gen::inRange(0, n); a != b) connect(a, b);
  }
  const auto links = symmetric_links(graph).value();
  constexpr Bytes kSize = Bytes{1} << 40;
  const double least = topology::least_all_reduce_time(graph, kSize).ns() / static_cast<double>(kSize);
  for (const int count : {1, 7, 64}) {
    const double ns = least_congestion(graph, links, count).ns_per_byte;
    RC_ASSERT(ns >= count * least * (1 - 1e-9));
    RC_ASSERT(ns <= count * least * (1 + 1e-9) + 1);  // a use of the slowest link takes 1 ns per byte
  }
}

TEST(LinkPacking, UsesAllBandwidthOfAMesh) {
  const Machine machine = mesh({8, 8});
  const auto links = symmetric_links(machine.topology).value();
  EXPECT_DOUBLE_EQ(least_congestion(machine.topology, links, 16).ns_per_byte, 9 / 16.0);
}

TEST(LinkPacking, BuildsTreesWithTheMinimumDepth) {
  const Machine machine = mesh({8, 8});
  const auto links = symmetric_links(machine.topology).value();
  const std::vector<double> hop_ns(links.size(), 1);
  LinkPacking packing = least_congestion(machine.topology, links, 16);
  shape_trees(machine.topology, links, hop_ns, 100'000, 1, 16, packing);
  for (const RootedTree& tree : packing.trees) EXPECT_DOUBLE_EQ(height_ns(tree, hop_ns), 8);
}

TEST(LinkPacking, OmitsASlowLink) {
  Topology ring(topology::Kind::kFile, {}, 4, 0);
  for (NodeId node = 0; node < 4; ++node) {
    const Bandwidth rate{node == 3 ? 1'000'000'000 : 50'000'000'000};
    ring.add_channel(node, (node + 1) % 4, rate, 0);
    ring.add_channel((node + 1) % 4, node, rate, 0);
  }
  const auto links = symmetric_links(ring).value();
  EXPECT_DOUBLE_EQ(least_congestion(ring, links, 1).ns_per_byte, 1 / 50.0);
}

}  // namespace
}  // namespace coppice::schedule
