#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <set>

#include "base/error.h"
#include "sample_links.h"
#include "topology/bounds/cut_bound.h"
#include "topology/networks/builders.h"
#include "topology/routing/deadlock.h"
#include "topology/routing/table_routing.h"

namespace coppice::topology {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;

TEST(FatTree, EightAryTwoLevel) {
  const Topology tree = sample(Kind::kFatTree, {8, 2});
  EXPECT_EQ(tree.num_accelerators(), 64);
  EXPECT_EQ(tree.num_switches(), 16);
  EXPECT_THAT(neighbours(tree, 9), ElementsAre(65));
  EXPECT_THAT(neighbours(tree, 65),
              ElementsAre(8, 9, 10, 11, 12, 13, 14, 15, 72, 73, 74, 75, 76, 77, 78, 79));
  EXPECT_THAT(neighbours(tree, 79), ElementsAre(64, 65, 66, 67, 68, 69, 70, 71));
}

TEST(FatTree, BinaryThreeLevelIsTheTextbookButterfly) {
  const Topology tree = sample(Kind::kFatTree, {2, 3});
  EXPECT_EQ(tree.num_accelerators(), 8);
  EXPECT_EQ(tree.num_switches(), 12);
  // Switches 8 to 11 are the leaves, 12 to 15 the middle level, and 16 to 19 the top level.
  EXPECT_THAT(neighbours(tree, 8), ElementsAre(0, 1, 12, 13));
  EXPECT_THAT(neighbours(tree, 9), ElementsAre(2, 3, 12, 13));
  EXPECT_THAT(neighbours(tree, 13), ElementsAre(8, 9, 17, 19));
  EXPECT_THAT(neighbours(tree, 14), ElementsAre(10, 11, 16, 18));
  EXPECT_THAT(neighbours(tree, 19), ElementsAre(13, 15));
}

TEST(FatTree, OneLevelIsASwitch) {
  const Topology tree = sample(Kind::kFatTree, {4, 1});
  EXPECT_EQ(tree.num_accelerators(), 4);
  EXPECT_THAT(neighbours(tree, 4), ElementsAre(0, 1, 2, 3));
}

TEST(FatTree, Dgx2LikeConnectsTwoBoards) {
  const Topology tree = sample(Kind::kFatTree, {8, 2, 0});
  EXPECT_EQ(tree.num_accelerators(), 16);
  EXPECT_EQ(tree.num_switches(), 2);
  EXPECT_THAT(neighbours(tree, 16), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 17, 17, 17, 17, 17, 17, 17, 17));
  EXPECT_THAT(neighbours(tree, 17),
              ElementsAre(8, 9, 10, 11, 12, 13, 14, 15, 16, 16, 16, 16, 16, 16, 16, 16));
}

TEST(FatTree, SpinesShareALeafsUplinks) {
  const Topology tree = sample(Kind::kFatTree, {4, 3, 2});
  EXPECT_EQ(tree.num_accelerators(), 12);
  EXPECT_EQ(tree.num_switches(), 5);
  EXPECT_THAT(neighbours(tree, 13), ElementsAre(4, 5, 6, 7, 15, 15, 16, 16));
  EXPECT_THAT(neighbours(tree, 16), ElementsAre(12, 12, 13, 13, 14, 14));
}

TEST(FatTree, LevelsHaveTheirLinks) {
  const std::vector<LinkSpec> links{{{10}, 1}, {{20}, 2}, {{30}, 3}};
  const Topology tree = make_fat_tree(std::vector{2, 3}, links);
  for (const Channel& channel : tree.channels()) {
    EXPECT_EQ(channel.bandwidth, links[static_cast<std::size_t>(channel.dimension)].bandwidth);
  }
  EXPECT_EQ(tree.channel(tree.out_channels(13)[0]).latency, 2);
  EXPECT_EQ(tree.channel(tree.out_channels(13)[2]).latency, 3);
}

TEST(FatTree, RejectsInvalidDims) {
  const auto building = [](const std::vector<int>& dims) { return [dims] { sample(Kind::kFatTree, dims); }; };
  EXPECT_THAT(building({8}), ThrowsMessage<UnsupportedError>(HasSubstr("[k, n] or [accelerators per leaf")));
  EXPECT_THAT(building({1, 2}), ThrowsMessage<UnsupportedError>(HasSubstr("(k): it needs at least 2")));
  EXPECT_THAT(building({4, 0}), ThrowsMessage<UnsupportedError>(HasSubstr("levels (n)")));
  EXPECT_THAT(building({1000, 1000}), ThrowsMessage<UnsupportedError>(HasSubstr("too large")));
  EXPECT_THAT(building({8, 4, 3}),
              ThrowsMessage<UnsupportedError>(HasSubstr("must divide a leaf's 8 uplinks")));
  EXPECT_THAT(building({8, 3, 0}), ThrowsMessage<UnsupportedError>(HasSubstr("needs spines")));
  EXPECT_THAT(
      [] {
        make_fat_tree(std::vector{2, 3}, sample_links(2));
      },
      ThrowsMessage<UnsupportedError>(HasSubstr("3 levels of links")));
}

RC_GTEST_PROP(FatTree, HasFullBisectionAndNoDeadlockOnOneVirtualChannel, ()) {
  const std::vector<std::vector<int>> shapes{{2, 1}, {2, 2},    {2, 3},    {2, 4},    {3, 2},    {3, 3},
                                             {4, 2}, {8, 2, 0}, {4, 3, 2}, {6, 4, 6}, {6, 4, 1}, {1, 2, 1}};
  const Topology tree = sample(Kind::kFatTree, *rc::gen::elementOf(shapes));
  // The narrowest cut is the channel into a single accelerator.
  const CutBound cut = worst_cut(tree);
  RC_ASSERT(cut.data == tree.num_accelerators() - 1);
  RC_ASSERT(cut.bytes_per_second == kSampleLink.bandwidth.bytes_per_second);
  ChannelDependencyGraph graph(tree, 1);
  graph.add_all_pairs(*make_table_routing(tree, 1));
  RC_ASSERT(graph.find_cycle().empty());
}

}  // namespace
}  // namespace coppice::topology
