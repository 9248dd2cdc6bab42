#include <gmock/gmock.h>

#include "base/error.h"
#include "sample_links.h"
#include "topology/bounds/cut_bound.h"
#include "topology/networks/builders.h"
#include "topology/routing/table_routing.h"

namespace coppice::topology {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(Bigraph, FourByEight) {
  const Topology bigraph = sample(Kind::kBigraph, {4, 8});
  EXPECT_EQ(bigraph.num_accelerators(), 32);
  EXPECT_EQ(bigraph.num_switches(), 8);
  EXPECT_THAT(neighbours(bigraph, 31), ElementsAre(39));
  EXPECT_THAT(neighbours(bigraph, 33), ElementsAre(4, 5, 6, 7, 36, 37, 38, 39));
  EXPECT_THAT(neighbours(bigraph, 38), ElementsAre(24, 25, 26, 27, 32, 33, 34, 35));
}

TEST(Bigraph, IsLimitedByTheOneChannelIntoEachAccelerator) {
  for (const int switches : {8, 16}) {
    const Topology bigraph = sample(Kind::kBigraph, {4, switches});
    const CutBound cut = worst_cut(bigraph);
    EXPECT_EQ(cut.data, 4 * switches - 1);
    EXPECT_EQ(cut.bytes_per_second, kSampleLink.bandwidth.bytes_per_second);
  }
}

TEST(Bigraph, SwitchesOfOneLayerConnectToTheOther) {
  const Topology bigraph = sample(Kind::kBigraph, {4, 8});
  const auto routing = make_table_routing(bigraph, 4);
  // A route consists of the source, a switch, possibly a switch of the other layer and a third switch, and
  // the destination.
  EXPECT_EQ(make_route(bigraph, *routing, 0, 1, 0, 0).size(), 3);
  EXPECT_EQ(make_route(bigraph, *routing, 0, 31, 0, 0).size(), 4);
  EXPECT_EQ(make_route(bigraph, *routing, 0, 15, 0, 0).size(), 5);
}

TEST(Bigraph, LayersHaveTheirLinks) {
  const Topology bigraph = make_bigraph(std::vector{1, 2}, std::vector<LinkSpec>{{{10}, 1}, {{20}, 2}});
  EXPECT_EQ(bigraph.channel(bigraph.out_channels(0)[0]).latency, 1);
  EXPECT_EQ(bigraph.channel(bigraph.out_channels(2)[0]).latency, 1);
  EXPECT_EQ(bigraph.channel(bigraph.out_channels(2)[1]).bandwidth, Bandwidth{20});
}

TEST(Bigraph, RejectsInvalidDims) {
  const auto building = [](const std::vector<int>& dims) { return [dims] { sample(Kind::kBigraph, dims); }; };
  EXPECT_THAT(building({8}),
              ThrowsMessage<UnsupportedError>(HasSubstr("[accelerators per switch, switches]")));
  EXPECT_THAT(building({4, 7}), ThrowsMessage<UnsupportedError>(HasSubstr("even number")));
  EXPECT_THAT(building({0, 8}), ThrowsMessage<UnsupportedError>(HasSubstr("accelerators per switch")));
  EXPECT_THAT(building({4, 0}), ThrowsMessage<UnsupportedError>(HasSubstr("at least 2")));
  EXPECT_THAT(building({4, 100000}), ThrowsMessage<UnsupportedError>(HasSubstr("too large")));
}

}  // namespace
}  // namespace coppice::topology
