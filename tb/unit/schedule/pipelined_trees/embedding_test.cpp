#include "schedule/pipelined_trees/embedding.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/error.h"
#include "machine.h"

namespace coppice::schedule {
namespace {

using testing::Each;
using testing::HasSubstr;
using testing::SizeIs;
using testing::ThrowsMessage;
using topology::kNoNode;
using topology::Topology;

int num_detours(std::span<const PlacedTree> trees) {
  int detours = 0;
  for (const PlacedTree& tree : trees) {
    detours += static_cast<int>(
        std::ranges::count_if(tree.edges, [](const PlacedEdge& edge) { return edge.via != kNoNode; }));
  }
  return detours;
}

// Requires that the trees span the network, list parents before children, and use existing channels, each at
// most once.
void expect_embedded(const Topology& topology, const std::vector<PlacedTree>& trees) {
  std::set<topology::ChannelId> used;
  const auto follow = [&](NodeId from, NodeId to, const ChannelPath& path) {
    for (const topology::ChannelId id : path) {
      EXPECT_EQ(topology.channel(id).src, from);
      from = topology.channel(id).dst;
      EXPECT_TRUE(used.insert(id).second) << "channel " << id << " is used twice";
    }
    EXPECT_EQ(from, to);
  };
  for (const LinkedTree& tree : link_trees(topology, trees)) {
    std::set<NodeId> reached{tree.root};
    for (const TreeLink& link : tree.links) {
      EXPECT_TRUE(reached.contains(link.parent));
      EXPECT_TRUE(reached.insert(link.child).second);
      follow(link.child, link.parent, link.up);
      follow(link.parent, link.child, link.down);
    }
    EXPECT_THAT(reached, SizeIs(static_cast<std::size_t>(topology.num_accelerators())));
  }
}

int most_children(const PlacedTree& tree) {
  std::map<NodeId, int> children;
  int most = 0;
  for (const PlacedEdge& edge : tree.edges) most = std::max(most, ++children[edge.parent]);
  return most;
}

// The placement in the paper for the DGX-1 (2->4 through 0, and 3->5 through 1) is one of those with the
// fewest detours.
TEST(Embedding, ThePapersIsAmongThoseWithTheFewestDetours) {
  const Machine machine = dgx1();
  int ways = 0;
  bool papers = false;
  const int detours =
      for_each_placement(machine.topology, ccube_trees(), [&](const std::vector<PlacedTree>& trees) {
        ++ways;
        expect_embedded(machine.topology, trees);
        EXPECT_EQ(num_detours(trees), 2);
        const auto has = [](const PlacedTree& tree, const PlacedEdge& edge) {
          return std::ranges::find(tree.edges, edge) != tree.edges.end();
        };
        papers = papers || (has(trees[0], {2, 4, 0}) && has(trees[1], {3, 5, 1}));
        return true;
      });
  EXPECT_EQ(detours, 2);
  EXPECT_TRUE(papers);
  EXPECT_GE(ways, 1);
}

TEST(Embedding, ThePapersTreesAreBinaryAndComplementary) {
  for (const LogicalTree& tree : ccube_trees()) {
    std::map<NodeId, int> children;
    for (const NodeId parent : tree) ++children[parent];
    children.erase(kNoNode);
    for (const auto& [parent, count] : children) EXPECT_LE(count, 2) << parent;
  }
  const auto trees = ccube_trees();
  for (NodeId node = 0; node < 8; ++node) {
    const auto inner = [&](const LogicalTree& tree) { return std::ranges::find(tree, node) != tree.end(); };
    EXPECT_NE(inner(trees[0]), inner(trees[1])) << node;
  }
}

TEST(Embedding, ADgx1NeedsNoDetour) {
  const Machine machine = dgx1();
  const auto trees = embed_trees(machine.topology, 2);
  expect_embedded(machine.topology, trees);
  EXPECT_EQ(num_detours(trees), 0);
  for (const PlacedTree& tree : trees) {
    EXPECT_EQ(depth_of(tree), 3);
    EXPECT_LE(most_children(tree), 2);
  }
}

TEST(Embedding, ManyPairsOfBinaryTreesFitADgx1WithoutDetour) {
  const Machine machine = dgx1();
  std::set<std::vector<NodeId>> seen;
  int pairs = 0;
  for_each_embedding(machine.topology, {.trees = 2, .depth = 3, .fan_in = 2, .detours = 0}, 10'000'000,
                     [&](const std::vector<PlacedTree>& trees) {
                       if (++pairs % 1000 == 1) expect_embedded(machine.topology, trees);
                       return pairs < 100'000;
                     });
  EXPECT_EQ(pairs, 100'000);
}

// A square with one diagonal. A tree of depth 1 is a star, so its root must be at an end of the diagonal.
TEST(Embedding, FindsExactlyTheExistingTrees) {
  Topology topology(topology::Kind::kFile, {}, 4, 0);
  const std::vector<std::pair<NodeId, NodeId>> pairs{{0, 1}, {1, 2}, {2, 3}, {3, 0}, {0, 2}};
  for (const auto& [a, b] : pairs) {
    topology.add_channel(a, b, {1'000'000'000}, 0);
    topology.add_channel(b, a, {1'000'000'000}, 0);
  }
  const auto roots = [&](int detours) {
    std::vector<NodeId> found;
    EXPECT_TRUE(for_each_embedding(topology, {.trees = 1, .depth = 1, .fan_in = 3, .detours = detours},
                                   10'000, [&](const std::vector<PlacedTree>& trees) {
                                     expect_embedded(topology, trees);
                                     found.push_back(trees[0].root);
                                     return true;
                                   }));
    return found;
  };
  EXPECT_THAT(roots(0), testing::ElementsAre(0, 2));
  // From corner 1 or 3, a star would need a detour to the opposite corner through 0 or 2, but the star's
  // edges already use the links to 0 and 2.
  EXPECT_THAT(roots(1), testing::ElementsAre(0, 2));
}

TEST(Embedding, ADetourUsesTheLinksOfItsPath) {
  Topology topology(topology::Kind::kFile, {}, 3, 0);
  for (const auto& [a, b] : std::vector<std::pair<NodeId, NodeId>>{{0, 1}, {0, 1}, {1, 2}}) {
    topology.add_channel(a, b, {1'000'000'000}, 0);
    topology.add_channel(b, a, {1'000'000'000}, 0);
  }
  const std::vector<LogicalTree> star{{kNoNode, 0, 0}};
  const auto placed = map_trees(topology, star);
  ASSERT_THAT(placed, SizeIs(1));
  EXPECT_THAT(placed[0].edges, testing::UnorderedElementsAre(PlacedEdge{1, 0, kNoNode}, PlacedEdge{2, 0, 1}));
  expect_embedded(topology, placed);
}

TEST(Embedding, ReportsTheNumberOfMissingLinks) {
  EXPECT_THAT(
      [] {
        embed_trees(mesh({4, 4}).topology, 2);
      },
      ThrowsMessage<UnsupportedError>(HasSubstr("30 links are needed, but there are 24")));
  const std::vector<LogicalTree> star{{kNoNode, 0, 0, 0, 0}};
  EXPECT_THAT([&] { map_trees(mesh({5}).topology, star); },
              ThrowsMessage<UnsupportedError>(HasSubstr("cannot be placed")));
}

RC_GTEST_PROP(Embedding, OneTreeFitsEveryTorusAndMesh, ()) {
  const Machine machine = random_machine(4);
  const auto trees = embed_trees(machine.topology, 1);
  expect_embedded(machine.topology, trees);
  RC_ASSERT(num_detours(trees) == 0);
}

TEST(Embedding, ReportsThatThereAreNoTreesOfAnyDepth) {
  Topology topology(topology::Kind::kFile, {}, 4, 0);
  for (const auto& [a, b] :
       std::vector<std::pair<NodeId, NodeId>>{{0, 1}, {0, 1}, {0, 1}, {1, 2}, {2, 3}, {2, 3}}) {
    topology.add_channel(a, b, {1'000'000'000}, 0);
    topology.add_channel(b, a, {1'000'000'000}, 0);
  }
  EXPECT_THAT([&] { embed_trees(topology, 2); },
              ThrowsMessage<UnsupportedError>(HasSubstr("no depth makes it possible")));
}

TEST(Embedding, TwoTreesFitATorus) {
  for (const std::vector<int>& dims : {std::vector{4, 4}, {3, 5}, {8, 8}}) {
    const Machine machine = torus(dims);
    expect_embedded(machine.topology, embed_trees(machine.topology, 2));
  }
}

}  // namespace
}  // namespace coppice::schedule
