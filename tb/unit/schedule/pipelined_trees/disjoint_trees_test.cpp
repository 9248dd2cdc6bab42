#include "schedule/pipelined_trees/disjoint_trees.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <set>

#include "machine.h"

namespace coppice::schedule {
namespace {

using testing::IsEmpty;
using testing::SizeIs;
using topology::Topology;

// Requires that no link belongs to two trees; link_trees() marks the links as it claims them.
void expect_disjoint(const Topology& topology, const std::vector<PlacedTree>& trees) {
  std::set<topology::ChannelId> used;
  for (const LinkedTree& tree : link_trees(topology, trees)) {
    std::set<NodeId> reached{tree.root};
    for (const TreeLink& link : tree.links) {
      EXPECT_TRUE(reached.contains(link.parent));
      EXPECT_TRUE(reached.insert(link.child).second);
      ASSERT_THAT(link.up, SizeIs(1));
      EXPECT_TRUE(used.insert(link.up.front()).second);
      EXPECT_TRUE(used.insert(link.down.front()).second);
    }
    EXPECT_THAT(reached, SizeIs(static_cast<std::size_t>(topology.num_accelerators())));
  }
}

// These pairs of trees leave hardly any links unused: 30 of a torus's 32 links are used, or 126 of 128, or
// 510 of 512. In a tetrahedron, the trees use all six edges.
TEST(DisjointTrees, FindsPairsIfFewLinksAreLeft) {
  for (const std::vector<int>& dims : {std::vector{4, 4}, {8, 8}, {16, 16}}) {
    const Machine machine = torus(dims);
    const auto trees = disjoint_trees(machine.topology, 2);
    ASSERT_THAT(trees, SizeIs(2));
    expect_disjoint(machine.topology, trees);
  }
  const Machine machine = built(topology::Kind::kFullyConnected, {4});
  const auto trees = disjoint_trees(machine.topology, 2);
  ASSERT_THAT(trees, SizeIs(2));
  expect_disjoint(machine.topology, trees);
}

TEST(DisjointTrees, FindsThreeOnADgx1) {
  const Machine machine = dgx1();
  const auto trees = disjoint_trees(machine.topology, 3);
  ASSERT_THAT(trees, SizeIs(3));  // the trees use 21 of 24 links
  expect_disjoint(machine.topology, trees);
}

// Nash-Williams: k disjoint spanning trees require k * (parts - 1) links between the parts of every
// partition. A line has only one link between its halves. Two tetrahedra, joined by one link and with one
// additional link inside, have enough links in total, but too few between them.
TEST(DisjointTrees, FindsNoneIfThereAreNone) {
  EXPECT_THAT(disjoint_trees(mesh({5}).topology, 2), IsEmpty());
  Topology topology(topology::Kind::kFile, {}, 8, 0);
  const auto join = [&](NodeId a, NodeId b) {
    topology.add_channel(a, b, {1'000'000'000}, 0);
    topology.add_channel(b, a, {1'000'000'000}, 0);
  };
  for (const NodeId first : {0, 4}) {
    for (NodeId a = 0; a < 4; ++a) {
      for (NodeId b = 0; b < a; ++b) join(first + a, first + b);
    }
  }
  join(0, 4);
  join(1, 2);  // makes 14 links, as many as two trees of eight nodes need
  EXPECT_THAT(disjoint_trees(topology, 2), IsEmpty());
  EXPECT_THAT(disjoint_trees(topology, 1), SizeIs(1));
}

// A single tree could have a depth of 8; two disjoint trees may be at most twice as deep.
TEST(DisjointTrees, HaveTheMinimumDepth) {
  for (const PlacedTree& tree : disjoint_trees(torus({8, 8}).topology, 2)) EXPECT_LE(depth_of(tree), 16);
}

RC_GTEST_PROP(DisjointTrees, OneSpansEveryTorusAndMesh, ()) {
  const Machine machine = random_machine(4);
  const auto trees = disjoint_trees(machine.topology, 1);
  RC_ASSERT(trees.size() == 1U);
  expect_disjoint(machine.topology, trees);
}

}  // namespace
}  // namespace coppice::schedule
