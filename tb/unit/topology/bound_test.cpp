#include "topology/bound.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include "base/error.h"
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

Fraction brute_force(const Topology& topology) {
  Fraction best;
  for (std::uint32_t set = 1; set < 1U << topology.num_nodes(); ++set) {
    std::vector<bool> inside;
    inside.reserve(static_cast<std::size_t>(topology.num_nodes()));
    for (NodeId node = 0; node < topology.num_nodes(); ++node) inside.push_back(((set >> node) & 1U) != 0);
    const Fraction here = fraction_of(topology, inside);
    if (here.accelerators == 0 || here.accelerators == topology.num_accelerators()) continue;
    if (less(best, here)) best = here;
  }
  return best;
}

void expect_cut(const Topology& topology, std::int64_t accelerators, std::int64_t links) {
  const CutBound cut = worst_cut(topology);
  EXPECT_EQ(cut.accelerators_in_cut, accelerators) << topology.name();
  EXPECT_EQ(cut.exit_bytes_per_second, links * kLink) << topology.name();
}

TEST(WorstCut, OfTorusAndMeshIsAllButTheNodeHardestToEnter) {
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

TEST(WorstCut, IsTheBisectionWhereItsLinksAreSlow) {
  const std::vector<LinkSpec> links{{{kLink}, 0}, {{kLink / 1000}, 0}};
  const CutBound cut = worst_cut(make_mesh(std::vector{4, 4}, links));
  // Three of the four rows have to get through the slow links into the last.
  EXPECT_EQ(cut.accelerators_in_cut, 12);
  EXPECT_EQ(cut.exit_bytes_per_second, 4 * (kLink / 1000));
  EXPECT_THAT(cut.cut, SizeIs(12));
}

TEST(WorstCut, OneAcceleratorNeedsNothing) {
  const CutBound cut = worst_cut(sample_torus({1, 1}));
  EXPECT_EQ(cut.accelerators_in_cut, 0);
  EXPECT_EQ(cut.exit_bytes_per_second, 0);
  EXPECT_THAT(cut.cut, IsEmpty());
  EXPECT_EQ(bound_ns(cut, Collective::kAllReduce, 1 << 20, 1), 0);
}

TEST(WorstCut, NamesAcceleratorsThatCannotReachEachOther) {
  Topology one_way(Kind::kFile, {}, 3, 0);
  one_way.add_channel(0, 1, {kLink}, 0);
  one_way.add_channel(1, 2, {kLink}, 0);
  EXPECT_THAT([&] { worst_cut(one_way); },
              ThrowsMessage<UnsupportedError>(HasSubstr("accelerator 1 cannot reach accelerator 0")));
  const Topology apart(Kind::kFile, {}, 2, 0);
  EXPECT_THAT([&] { worst_cut(apart); },
              ThrowsMessage<UnsupportedError>(HasSubstr("accelerator 0 cannot reach accelerator 1")));
}

TEST(WorstCut, ATorusWithOneSlowChannelHasNoSymmetryToUse) {
  Topology ring(Kind::kTorus, {4}, 4, 0);
  for (NodeId node = 0; node < 4; ++node) {
    ring.add_channel(node, (node + 1) % 4, {node == 1 ? kLink / 2 : kLink}, 0);
    ring.add_channel(node, (node + 3) % 4, {kLink}, 0);
  }
  const CutBound cut = worst_cut(ring);
  EXPECT_EQ(cut.accelerators_in_cut, 3);
  EXPECT_EQ(cut.exit_bytes_per_second, kLink + kLink / 2);
  EXPECT_THAT(cut.cut, testing::ElementsAre(0, 1, 3));
}

TEST(BoundNs, OfTheTorus) {
  const CutBound cut = worst_cut(sample_torus({4, 4}));
  const Bytes mebibyte = 1 << 20;
  // 15 chunks of 64 KiB enter each accelerator over four channels of 16 B/ns.
  EXPECT_DOUBLE_EQ(bound_ns(cut, Collective::kAllGather, mebibyte, 16), 15 * 65536.0 / 64);
  EXPECT_DOUBLE_EQ(bound_ns(cut, Collective::kReduceScatter, mebibyte, 16), 15 * 65536.0 / 64);
  EXPECT_DOUBLE_EQ(bound_ns(cut, Collective::kAllReduce, mebibyte, 16), 2 * 15 * 65536.0 / 64);
}

RC_GTEST_PROP(WorstCut, EqualsTheBestOfAllSubsets, ()) {
  const int accelerators = *rc::gen::inRange(2, 7);
  const int switches = *rc::gen::inRange(0, 4);
  Topology topology(Kind::kFile, {}, accelerators, switches);
  const auto bandwidth = [] { return Bandwidth{*rc::gen::inRange<std::int64_t>(1, 12) * 250'000'000}; };
  // A one-way ring connects all; more channels at random.
  for (NodeId node = 0; node < topology.num_nodes(); ++node) {
    topology.add_channel(node, (node + 1) % topology.num_nodes(), bandwidth(), 0);
  }
  const int extra = *rc::gen::inRange(0, 20);
  for (int i = 0; i < extra; ++i) {
    const NodeId src = *rc::gen::inRange(0, topology.num_nodes());
    const NodeId dst = *rc::gen::inRange(0, topology.num_nodes());
    if (src != dst) topology.add_channel(src, dst, bandwidth(), 0);
  }

  const CutBound cut = worst_cut(topology);
  const Fraction found{cut.accelerators_in_cut, cut.exit_bytes_per_second};
  const Fraction expected = brute_force(topology);
  RC_ASSERT(!less(found, expected));
  RC_ASSERT(!less(expected, found));
  // The cut named is one that has these numbers.
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
  const Fraction found{cut.accelerators_in_cut, cut.exit_bytes_per_second};
  const Fraction expected = brute_force(topology);
  RC_ASSERT(!less(found, expected));
  RC_ASSERT(!less(expected, found));
}

// 0 <-> 1 over 2 B/s, 1 -> 2 over 5 B/s, 2 -> 1 over 3 B/s.
TEST(RootCut, IsTheLeastBetweenTheRootAndAnyOther) {
  Topology line(Kind::kFile, {}, 3, 0);
  line.add_channel(0, 1, {2}, 0);
  line.add_channel(1, 0, {2}, 0);
  line.add_channel(1, 2, {5}, 0);
  line.add_channel(2, 1, {3}, 0);
  const CutBound out = root_cut(line, 0, false);
  EXPECT_EQ(out.exit_bytes_per_second, 2);
  EXPECT_EQ(out.cut, (std::vector<NodeId>{0}));
  EXPECT_DOUBLE_EQ(root_bound_ns(out, 10), 5e9);
  // Into 1: 2 B/s from 0, 3 B/s from 2.
  EXPECT_EQ(root_cut(line, 1, true).exit_bytes_per_second, 2);
  // Out of 2: to 1 over 3 B/s, then to 0 over 2 B/s.
  const CutBound from_2 = root_cut(line, 2, false);
  EXPECT_EQ(from_2.exit_bytes_per_second, 2);
  EXPECT_EQ(from_2.accelerators_in_cut, 2);
}

}  // namespace
}  // namespace coppice::topology
