#include "topology/bounds/cut_bound.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <limits>

#include "base/error.h"
#include "random_topology.h"
#include "sample_links.h"

namespace coppice::topology {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::ThrowsMessage;

constexpr std::int64_t kLink = kSampleLink.bandwidth.bytes_per_second;

struct Fraction {
  std::int64_t accelerators = 0;
  std::int64_t bytes_per_second = 1;
};

bool less(const Fraction& a, const Fraction& b) {
  return a.accelerators * b.bytes_per_second < b.accelerators * a.bytes_per_second;
}

Fraction fraction_of(const Topology& topology, const std::vector<bool>& inside) {
  Fraction result{0, 0};
  for (NodeId node = 0; node < topology.num_accelerators(); ++node) {
    result.accelerators += inside[static_cast<std::size_t>(node)] ? 1 : 0;
  }
  for (const Channel& channel : topology.channels()) {
    if (inside[static_cast<std::size_t>(channel.src)] && !inside[static_cast<std::size_t>(channel.dst)]) {
      result.bytes_per_second += channel.bandwidth.bytes_per_second;
    }
  }
  return result;
}

std::int64_t entry_of(const Topology& topology, const std::vector<bool>& inside) {
  std::int64_t sum = 0;
  for (const Channel& channel : topology.channels()) {
    if (!inside[static_cast<std::size_t>(channel.src)] && inside[static_cast<std::size_t>(channel.dst)]) {
      sum += channel.bandwidth.bytes_per_second;
    }
  }
  return sum;
}

std::vector<bool> members_of(const Topology& topology, std::uint32_t set) {
  std::vector<bool> inside;
  inside.reserve(static_cast<std::size_t>(topology.num_nodes()));
  for (NodeId node = 0; node < topology.num_nodes(); ++node) inside.push_back(((set >> node) & 1U) != 0);
  return inside;
}

Fraction brute_force(const Topology& topology) {
  Fraction best;
  for (std::uint32_t set = 1; set < 1U << topology.num_nodes(); ++set) {
    const Fraction here = fraction_of(topology, members_of(topology, set));
    if (here.accelerators == 0 || here.accelerators == topology.num_accelerators()) continue;
    if (less(best, here)) best = here;
  }
  return best;
}

void expect_cut(const Topology& topology, std::int64_t accelerators, std::int64_t links) {
  const CutBound cut = worst_cut(topology);
  EXPECT_EQ(cut.data, accelerators) << topology.name();
  EXPECT_EQ(cut.bytes_per_second, links * kLink) << topology.name();
}

TEST(WorstCut, OfTorusAndMeshSeparatesTheNodeWithTheLeastBandwidth) {
  expect_cut(sample_torus({4, 4}), 15, 4);
  expect_cut(sample_torus({8, 8}), 63, 4);
  expect_cut(sample_torus({2, 4}), 7, 4);
  expect_cut(sample_torus({1, 5}), 4, 2);
  expect_cut(sample_torus({32, 32}), 1023, 4);
  expect_cut(sample_mesh({4, 4}), 15, 2);
  expect_cut(sample_mesh({8, 8}), 63, 2);
  expect_cut(sample_mesh({16, 16}), 255, 2);
  expect_cut(sample_mesh({5, 1}), 4, 1);
}

TEST(WorstCut, IsTheBisectionIfItsLinksAreSlow) {
  const std::vector<LinkSpec> links{{{kLink}, 0}, {{kLink / 1000}, 0}};
  const CutBound cut = worst_cut(make_mesh(std::vector{4, 4}, links));
  // The data of three rows has to cross the slow links into the fourth row.
  EXPECT_EQ(cut.data, 12);
  EXPECT_EQ(cut.bytes_per_second, 4 * (kLink / 1000));
  EXPECT_THAT(cut.cut, SizeIs(12));
}

TEST(WorstCut, OneAcceleratorHasNoCut) {
  const CutBound cut = worst_cut(sample_torus({1, 1}));
  EXPECT_EQ(cut.data, 0);
  EXPECT_EQ(cut.bytes_per_second, 0);
  EXPECT_THAT(cut.cut, IsEmpty());
}

TEST(WorstCut, ReportsAcceleratorsThatCannotReachEachOther) {
  Topology one_way(Kind::kFile, {}, 3, 0);
  one_way.add_channel(0, 1, {kLink}, 0);
  one_way.add_channel(1, 2, {kLink}, 0);
  EXPECT_THAT([&] { worst_cut(one_way); },
              ThrowsMessage<UnsupportedError>(HasSubstr("accelerator 1 cannot reach accelerator 0")));
  const Topology apart(Kind::kFile, {}, 2, 0);
  EXPECT_THAT([&] { worst_cut(apart); },
              ThrowsMessage<UnsupportedError>(HasSubstr("accelerator 0 cannot reach accelerator 1")));
}

TEST(WorstCut, ATorusWithOneSlowChannelHasNoSymmetry) {
  Topology ring(Kind::kTorus, {4}, 4, 0);
  for (NodeId node = 0; node < 4; ++node) {
    ring.add_channel(node, (node + 1) % 4, {node == 1 ? kLink / 2 : kLink}, 0);
    ring.add_channel(node, (node + 3) % 4, {kLink}, 0);
  }
  const CutBound cut = worst_cut(ring);
  EXPECT_EQ(cut.data, 3);
  EXPECT_EQ(cut.bytes_per_second, kLink + kLink / 2);
  EXPECT_THAT(cut.cut, testing::ElementsAre(0, 1, 3));
}

RC_GTEST_PROP(WorstCut, EqualsTheBestOfAllSubsets, ()) {
  const Topology topology = random_topology();
  const CutBound cut = worst_cut(topology);
  const Fraction found{cut.data, cut.bytes_per_second};
  const Fraction expected = brute_force(topology);
  RC_ASSERT(!less(found, expected));
  RC_ASSERT(!less(expected, found));
  // The reported data and bandwidth must be those of the reported cut.
  std::vector<bool> inside(static_cast<std::size_t>(topology.num_nodes()));
  for (const NodeId node : cut.cut) inside[static_cast<std::size_t>(node)] = true;
  const Fraction named = fraction_of(topology, inside);
  RC_ASSERT(named.accelerators == found.accelerators);
  RC_ASSERT(named.bytes_per_second == found.bytes_per_second);
  RC_ASSERT(std::ranges::is_sorted(cut.cut));
}

RC_GTEST_PROP(WorstCut, OfTorusAndMeshEqualsTheBestOfAllSubsets, ()) {
  const std::vector<std::vector<int>> shapes{{2}, {5}, {2, 2}, {3, 3}, {2, 5}, {4, 3}, {1, 6}, {2, 2, 3}};
  const auto dims = *rc::gen::elementOf(shapes);
  std::vector<LinkSpec> links;
  for (std::size_t d = 0; d < dims.size(); ++d) {
    links.push_back({{*rc::gen::inRange<std::int64_t>(1, 5) * kLink}, 0});
  }
  const Topology topology = *rc::gen::arbitrary<bool>() ? make_torus(dims, links) : make_mesh(dims, links);
  const CutBound cut = worst_cut(topology);
  const Fraction found{cut.data, cut.bytes_per_second};
  const Fraction expected = brute_force(topology);
  RC_ASSERT(!less(found, expected));
  RC_ASSERT(!less(expected, found));
}

// Three accelerators in a line. The channels are 0 <-> 1 with 2 B/s, 1 -> 2 with 5 B/s, and 2 -> 1 with 3
// B/s.
TEST(WorstCut, OfARootIsTheMinimumToAnyOtherAccelerator) {
  Topology line(Kind::kFile, {}, 3, 0);
  line.add_channel(0, 1, {2}, 0);
  line.add_channel(1, 0, {2}, 0);
  line.add_channel(1, 2, {5}, 0);
  line.add_channel(2, 1, {3}, 0);
  const auto root_cut = [&](std::size_t root, Direction direction) {
    std::vector<std::int64_t> shares(3);
    shares[root] = 10;
    return worst_cut(line, direction, shares);
  };
  const CutBound out = root_cut(0, Direction::kOut);
  EXPECT_EQ(out.bytes_per_second, 2);
  EXPECT_EQ(out.data, 10);
  EXPECT_EQ(out.cut, (std::vector<NodeId>{0}));
  // Node 1 receives 2 B/s from node 0 and 3 B/s from node 2, and the lower bandwidth sets the bound.
  EXPECT_EQ(root_cut(1, Direction::kIn).bytes_per_second, 2);
  // Data from node 2 reaches node 1 at 3 B/s and node 0 at 2 B/s.
  const CutBound from_2 = root_cut(2, Direction::kOut);
  EXPECT_EQ(from_2.bytes_per_second, 2);
  EXPECT_EQ(from_2.cut, (std::vector<NodeId>{1, 2}));
}

// Seven elements of four bytes on a ring of four accelerators: the last accelerator has one element, and the
// others have two each.
TEST(WorstCut, CountsExistingShares) {
  const std::vector<std::int64_t> shares{8, 8, 8, 4};
  const CutBound cut = worst_cut(sample_torus({4}), Direction::kOut, shares);
  EXPECT_EQ(cut.data, 24);
  EXPECT_EQ(cut.cut, (std::vector<NodeId>{0, 1, 2}));
}

// Accelerators 0 and 1 are joined by wide channels. Accelerator 2 has a narrow incoming and a wide outgoing
// channel. The narrow channel carries both other shares in an all-gather, but only accelerator 2's own share
// in a reduce-scatter.
TEST(WorstCut, CountsEntriesOfReducedData) {
  Topology topology(Kind::kFile, {}, 3, 0);
  topology.add_channel(0, 1, {1000}, 0);
  topology.add_channel(1, 0, {1000}, 0);
  topology.add_channel(1, 2, {10}, 0);
  topology.add_channel(2, 0, {1000}, 0);
  const CutBound out = worst_cut(topology, Direction::kOut);
  EXPECT_EQ(out.data, 2);
  EXPECT_EQ(out.bytes_per_second, 10);
  const CutBound in = worst_cut(topology, Direction::kIn);
  EXPECT_EQ(in.data, 1);
  EXPECT_EQ(in.bytes_per_second, 10);
  EXPECT_EQ(in.cut, (std::vector<NodeId>{2}));
}

RC_GTEST_PROP(WorstCut, WithAnySharesEqualsTheBestOfAllSubsetsInEachDirection, ()) {
  const Topology topology = random_topology();
  std::vector<std::int64_t> shares;
  for (int a = 0; a < topology.num_accelerators(); ++a) shares.push_back(*rc::gen::inRange(0, 4) * 7);
  shares[static_cast<std::size_t>(*rc::gen::inRange(0, topology.num_accelerators()))] += 7;
  for (const Direction direction : {Direction::kOut, Direction::kIn}) {
    Fraction expected;
    for (std::uint32_t set = 1; set < 1U << topology.num_nodes(); ++set) {
      const std::vector<bool> inside = members_of(topology, set);
      Fraction here = fraction_of(topology, inside);
      if (here.accelerators == 0 || here.accelerators == topology.num_accelerators()) continue;
      here.accelerators = 0;
      for (std::size_t a = 0; a < shares.size(); ++a) here.accelerators += inside[a] ? shares[a] : 0;
      if (direction == Direction::kIn) here.bytes_per_second = entry_of(topology, inside);
      if (less(expected, here)) expected = here;
    }
    const CutBound cut = worst_cut(topology, direction, shares);
    const Fraction found{cut.data, cut.bytes_per_second};
    RC_ASSERT(!less(found, expected));
    RC_ASSERT(!less(expected, found));
  }
}

RC_GTEST_PROP(NarrowestCut, EqualsTheNarrowestOfAllSubsets, ()) {
  const Topology topology = random_topology();
  std::int64_t expected = std::numeric_limits<std::int64_t>::max();
  for (std::uint32_t set = 1; set < 1U << topology.num_nodes(); ++set) {
    const Fraction here = fraction_of(topology, members_of(topology, set));
    if (here.accelerators == 0 || here.accelerators == topology.num_accelerators()) continue;
    expected = std::min(expected, here.bytes_per_second);
  }
  const CutBound cut = narrowest_cut(topology);
  RC_ASSERT(cut.bytes_per_second == expected);
  std::vector<bool> inside(static_cast<std::size_t>(topology.num_nodes()));
  for (const NodeId node : cut.cut) inside[static_cast<std::size_t>(node)] = true;
  RC_ASSERT(fraction_of(topology, inside).bytes_per_second == expected);
}

}  // namespace
}  // namespace coppice::topology
