#include "system/traffic/patterns.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <map>

#include "base/error.h"
#include "topology/networks/kinds.h"

namespace coppice::system {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;
using topology::NodeId;
using topology::Topology;

Topology torus(const std::vector<int>& dims) {
  return topology::make_torus(dims, std::vector(dims.size(), topology::LinkSpec{{16'000'000'000}, 0}));
}

NodeId destination(Pattern pattern, const Topology& topology, NodeId src) {
  Random random(1);
  return TrafficPattern(pattern, topology).destination(src, random);
}

// How often the pattern chooses each destination in `draws` draws.
std::map<NodeId, int> counts(const TrafficPattern& pattern, NodeId src, int draws) {
  Random random(7);
  std::map<NodeId, int> counts;
  for (int i = 0; i < draws; ++i) ++counts[pattern.destination(src, random)];
  return counts;
}

// The expected destinations are those of an 8x8 network, in which the node at (x, y) has the number 8 y + x.
TEST(TrafficPattern, AgreesWithTheTableOfPatterns) {
  const Topology topology = torus({8, 8});
  const NodeId src = 8 * 6 + 3;
  EXPECT_EQ(destination(Pattern::kTranspose, topology, src), 8 * 3 + 6);
  EXPECT_EQ(destination(Pattern::kBitcomp, topology, src), 63 - src);
  EXPECT_EQ(destination(Pattern::kTornado, topology, src), 8 * ((6 + 3) % 8) + (3 + 3) % 8);
  EXPECT_EQ(destination(Pattern::kNeighbor, topology, src), 8 * 7 + 4);
  EXPECT_EQ(destination(Pattern::kNeighbor, topology, 63), 0);
  EXPECT_EQ(destination(Pattern::kBitrev, topology, 0b110011), 0b110011);
  EXPECT_EQ(destination(Pattern::kBitrev, topology, 0b000111), 0b111000);
  EXPECT_EQ(destination(Pattern::kShuffle, topology, 0b100011), 0b000111);
}

TEST(TrafficPattern, ExchangesHalvesOfBitsWithoutCoordinates) {
  const std::vector<topology::LinkSpec> links{topology::LinkSpec{{16'000'000'000}, 0}};
  const Topology tree = topology::make_topology(topology::Kind::kFatTree, std::vector{4, 2}, links);
  EXPECT_EQ(destination(Pattern::kTranspose, tree, 0b0111), 0b1101);
  const Topology other = topology::make_topology(topology::Kind::kFatTree, std::vector{2, 3}, links);
  EXPECT_THAT([&] { TrafficPattern(Pattern::kTranspose, other); },
              ThrowsMessage<UnsupportedError>(HasSubstr("a square number of nodes")));
}

TEST(TrafficPattern, ChoosesDestinationsByTheWeightsOfHotspots) {
  const TrafficPattern pattern(Pattern::kHotspot, torus({8, 8}), {.hotspots = {{5, 1}, {9, 3}}});
  auto hits = counts(pattern, 0, 8000);
  EXPECT_EQ(hits.size(), 2U);
  EXPECT_NEAR(hits[5], 2000, 150);
  EXPECT_NEAR(hits[9], 6000, 150);
  EXPECT_THAT([] { TrafficPattern(Pattern::kHotspot, torus({4})); },
              ThrowsMessage<UnsupportedError>(HasSubstr("needs --hotspots")));
  EXPECT_THAT(
      [] {
        TrafficPattern(Pattern::kHotspot, torus({4}), {.hotspots = {{4, 1}}});
      },
      ThrowsMessage<UnsupportedError>(HasSubstr("has accelerators 0 to 3")));
}

TEST(TrafficPattern, ChoosesOneOfTwoOrOneOfAGroup) {
  auto hits = counts(TrafficPattern(Pattern::kDiagonal, torus({8})), 7, 9000);
  EXPECT_NEAR(hits[7], 6000, 200);
  EXPECT_NEAR(hits[0], 3000, 200);
  hits = counts(TrafficPattern(Pattern::kAsymmetric, torus({8})), 6, 8000);
  EXPECT_NEAR(hits[2], 4000, 200);
  EXPECT_NEAR(hits[6], 4000, 200);
  const std::vector<topology::LinkSpec> links{topology::LinkSpec{{16'000'000'000}, 0}};
  const Topology dragonfly = topology::make_topology(topology::Kind::kDragonfly, std::vector{2, 2, 1}, links);
  hits = counts(TrafficPattern(Pattern::kNextGroup, dragonfly), 9, 8000);
  EXPECT_EQ(hits.size(), 4U);
  EXPECT_EQ(hits.begin()->first, 0);
}

TEST(TrafficPattern, UsesTheSamePermutationThroughout) {
  const Topology topology = torus({5, 5});
  Random random(1);
  std::map<NodeId, int> hits;
  for (NodeId src = 0; src < 25; ++src) {
    ++hits[TrafficPattern(Pattern::kRandperm, topology, {.seed = 3}).destination(src, random)];
  }
  EXPECT_EQ(hits.size(), 25U);
  const TrafficPattern given(Pattern::kPermutation, torus({3}), {.targets = {2, 2, 0}});
  EXPECT_EQ(given.destination(1, random), 2);
  EXPECT_THAT([&] { TrafficPattern(Pattern::kPermutation, topology); },
              ThrowsMessage<UnsupportedError>(HasSubstr("needs --permutation")));
}

// Tornado traffic moves from x to x + ceil(k / 2) - 1 in a ring of k, which is always less than halfway
// around.
TEST(TrafficPattern, MovesTornadoAlmostHalfWayAround) {
  const std::map<int, int> shifts{{1, 0}, {2, 0}, {3, 1}, {4, 1}, {5, 2}, {6, 2}, {7, 3}, {8, 3}, {9, 4}};
  for (const auto& [width, shift] : shifts) {
    EXPECT_EQ(destination(Pattern::kTornado, torus({width}), 0), shift) << width;
  }
}

TEST(TrafficPattern, UniformDestinationsIncludeTheSource) {
  const TrafficPattern pattern(Pattern::kUniform, torus({4, 2}));
  Random random(7);
  std::map<NodeId, int> counts;
  for (int i = 0; i < 8000; ++i) ++counts[pattern.destination(3, random)];
  EXPECT_EQ(counts.size(), 8U);
  for (const auto& [node, count] : counts) EXPECT_NEAR(count, 1000, 150) << node;
}

// These patterns are permutations: no two nodes send to the same destination.
RC_GTEST_PROP(TrafficPattern, PermutesTheNodes, ()) {
  const auto pattern =
      *rc::gen::element(Pattern::kTranspose, Pattern::kBitcomp, Pattern::kTornado, Pattern::kNeighbor);
  std::vector<int> dims{4, 4};
  if (pattern == Pattern::kTornado || pattern == Pattern::kNeighbor) {
    dims = *rc::gen::container<std::vector<int>>(3, rc::gen::inRange(1, 6));
  }
  const Topology topology = torus(dims);
  std::map<NodeId, int> hits;
  for (NodeId src = 0; src < topology.num_accelerators(); ++src) ++hits[destination(pattern, topology, src)];
  RC_ASSERT(static_cast<int>(hits.size()) == topology.num_accelerators());
}

TEST(TrafficPattern, IsRejectedIfItIsNotDefined) {
  EXPECT_THAT(
      [] {
        TrafficPattern(Pattern::kTranspose, torus({4, 2}));
      },
      ThrowsMessage<UnsupportedError>(HasSubstr("needs two equal dims, not torus 4x2")));
  EXPECT_THAT(
      [] {
        TrafficPattern(Pattern::kTranspose, torus({4, 4, 4}));
      },
      ThrowsMessage<UnsupportedError>(HasSubstr("two equal dims")));
  EXPECT_THAT(
      [] {
        TrafficPattern(Pattern::kBitcomp, torus({3, 4}));
      },
      ThrowsMessage<UnsupportedError>(HasSubstr("a power-of-two number of nodes, but torus 3x4 has 12")));
}

TEST(ParsePattern, AcceptsAndListsAllNames) {
  for (const PatternInfo& info : traffic_patterns()) {
    EXPECT_STREQ(to_string(parse_pattern(info.name)), info.name);
  }
  EXPECT_THAT([] { parse_pattern("random"); },
              ThrowsMessage<std::invalid_argument>(
                  AllOf(HasSubstr("'random'"), HasSubstr("uniform, transpose, bitcomp, tornado, neighbor"))));
}

}  // namespace
}  // namespace coppice::system
