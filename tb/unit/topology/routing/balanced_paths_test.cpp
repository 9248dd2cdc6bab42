#include "topology/routing/balanced_paths.h"

#include <gmock/gmock.h>

#include <map>

#include "sample_links.h"

namespace coppice::topology {
namespace {

using testing::Each;
using testing::ElementsAre;

TEST(BalancedPaths, OfAKAryNTreeGoUpByDestinationModK) {
  const Topology tree = sample(Kind::kFatTree, {4, 2});
  const PathRules rules = any_path(tree);
  BalancedPaths paths(tree, rules);
  const int first_spine = 20;
  for (NodeId dst = 0; dst < 16; ++dst) {
    const PathTree towards = paths.paths_to(dst);
    for (NodeId leaf = 16; leaf < first_spine; ++leaf) {
      const Channel& next = tree.channel(towards.next[static_cast<std::size_t>(leaf)]);
      EXPECT_EQ(next.dst, leaf == 16 + dst / 4 ? dst : first_spine + dst % 4);
    }
  }
}

TEST(BalancedPaths, ShareParallelChannelsInProportionToTheirBandwidth) {
  Topology topology(Kind::kFile, {}, 5, 2);
  topology.add_channel(4, 5, {100}, 0);
  const ChannelId slow = topology.add_channel(5, 6, {100}, 0);
  const ChannelId fast = topology.add_channel(5, 6, {300}, 0);
  for (NodeId node = 0; node < 4; ++node) topology.add_channel(6, node, {100}, 0);
  const PathRules rules = any_path(topology);
  BalancedPaths paths(topology, rules);
  std::map<ChannelId, int> used;
  for (NodeId dst = 0; dst < 4; ++dst) ++used[paths.paths_to(dst).next[5]];
  EXPECT_EQ(used[slow], 1);
  EXPECT_EQ(used[fast], 3);
}

TEST(BalancedPaths, OmitChannelsThatCannotReachTheDestination) {
  Topology topology(Kind::kFile, {}, 3, 0);
  const ChannelId only = topology.add_channel(0, 1, {100}, 0);
  const PathRules rules = any_path(topology);
  const PathTree tree = BalancedPaths(topology, rules).paths_to(1);
  EXPECT_THAT(tree.next, ElementsAre(only, -1, -1));
  EXPECT_THAT(tree.far_to_near, ElementsAre(0));
}

TEST(UpDownPaths, NeverGoUpAfterDown) {
  const Topology bigraph = sample(Kind::kBigraph, {1, 6});
  const PathRules rules = up_down_paths(bigraph);
  EXPECT_EQ(rules.phases, 2);
  for (std::size_t channel = 0; channel < bigraph.channels().size(); ++channel) {
    const int after_up = rules.after[channel * 2];
    const int after_down = rules.after[channel * 2 + 1];
    // An up channel keeps phase 0 and is forbidden in phase 1. A down channel leads to phase 1.
    EXPECT_TRUE((after_up == 0 && after_down == -1) || (after_up == 1 && after_down == 1));
    const Channel& here = bigraph.channels()[channel];
    for (std::size_t other = 0; other < bigraph.channels().size(); ++other) {
      const Channel& back = bigraph.channels()[other];
      if (back.src == here.dst && back.dst == here.src) {
        EXPECT_NE(rules.after[other * 2], after_up);
      }
    }
  }
}

TEST(UpDownPaths, OfALineAreDistancesToItsMiddle) {
  const Topology line = sample_mesh({5});
  const PathRules rules = up_down_paths(line);
  for (std::size_t channel = 0; channel < line.channels().size(); ++channel) {
    const Channel& here = line.channels()[channel];
    EXPECT_EQ(rules.after[channel * 2] == 0, std::abs(here.dst - 2) < std::abs(here.src - 2));
  }
}

}  // namespace
}  // namespace coppice::topology
