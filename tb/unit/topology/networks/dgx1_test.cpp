#include <gmock/gmock.h>

#include <algorithm>

#include "base/error.h"
#include "sample_links.h"
#include "topology/bounds/cut_bound.h"
#include "topology/networks/builders.h"

namespace coppice::topology {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(Dgx1, HasSixLinksPerAcceleratorAndDoublesEightOfSixteen) {
  const Topology topology = sample(Kind::kDgx1, {});
  EXPECT_EQ(topology.num_accelerators(), 8);
  EXPECT_EQ(topology.num_switches(), 0);
  EXPECT_EQ(topology.channels().size(), 48);
  for (NodeId node = 0; node < 8; ++node) EXPECT_EQ(topology.out_channels(node).size(), 6) << node;
  EXPECT_THAT(neighbours(topology, 0), ElementsAre(1, 2, 3, 3, 4, 4));
  EXPECT_THAT(neighbours(topology, 5), ElementsAre(1, 1, 4, 6, 6, 7));
  int doubled = 0;
  for (NodeId a = 0; a < 8; ++a) {
    for (NodeId b = a + 1; b < 8; ++b) doubled += std::ranges::count(neighbours(topology, a), b) == 2 ? 1 : 0;
  }
  EXPECT_EQ(doubled, 8);
}

TEST(Dgx1, EveryChannelHasAReverseChannel) {
  const Topology topology = sample(Kind::kDgx1, {});
  for (NodeId a = 0; a < 8; ++a) {
    for (NodeId b = 0; b < 8; ++b) {
      EXPECT_EQ(std::ranges::count(neighbours(topology, a), b),
                std::ranges::count(neighbours(topology, b), a));
    }
  }
}

TEST(Dgx1, LacksTheLinkThatThePapersDetourReplaces) {
  const Topology topology = sample(Kind::kDgx1, {});
  EXPECT_EQ(std::ranges::count(neighbours(topology, 2), 4), 0);
  EXPECT_EQ(std::ranges::count(neighbours(topology, 3), 5), 0);
}

// The data of seven accelerators has to enter the eighth over its six channels.
TEST(Dgx1, IsBoundByTheChannelsOfOneAccelerator) {
  const CutBound cut = worst_cut(sample(Kind::kDgx1, {}));
  EXPECT_EQ(cut.data, 7);
  EXPECT_EQ(cut.bytes_per_second, 6 * kSampleLink.bandwidth.bytes_per_second);
}

TEST(Dgx1, RefusesDims) {
  EXPECT_THAT([] { sample(Kind::kDgx1, {8}); }, ThrowsMessage<UnsupportedError>(HasSubstr("no dims")));
}

}  // namespace
}  // namespace coppice::topology
