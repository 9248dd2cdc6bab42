#include "topology/networks/hyperx.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include "base/error.h"
#include "sample_dims.h"
#include "sample_links.h"
#include "topology/networks/builders.h"
#include "topology/routing/deadlock.h"

namespace coppice::topology {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(Hyperx, LinksEveryRowAllToAll) {
  const Topology hyperx = sample(Kind::kHyperx, {2, 3, 4});
  EXPECT_EQ(hyperx.num_accelerators(), 24);
  EXPECT_EQ(hyperx.num_switches(), 12);
  // Node 28 is the switch with coordinates (1, 1).
  EXPECT_THAT(neighbours(hyperx, 28), ElementsAre(8, 9, 27, 29, 25, 31, 34));
  EXPECT_THAT(neighbours(hyperx, 9), ElementsAre(28));
}

TEST(Hyperx, IsAHypercubeOfWidthsOfTwo) {
  const Topology hypercube = sample(Kind::kHyperx, {1, 2, 2, 2});
  for (NodeId node = 0; node < 8; ++node) {
    EXPECT_THAT(neighbours(hypercube, 8 + node),
                ElementsAre(node, 8 + (node ^ 1), 8 + (node ^ 2), 8 + (node ^ 4)));
  }
}

TEST(Hyperx, DimensionsHaveTheirLinks) {
  const Topology hyperx =
      make_hyperx(std::vector{1, 2, 2}, std::vector<LinkSpec>{{{10}, 1}, {{20}, 2}, {{30}, 3}});
  EXPECT_EQ(hyperx.channel(hyperx.out_channels(4)[0]).bandwidth, Bandwidth{10});
  EXPECT_EQ(hyperx.channel(hyperx.out_channels(4)[1]).bandwidth, Bandwidth{20});
  EXPECT_EQ(hyperx.channel(hyperx.out_channels(4)[2]).latency, 3);
}

// A route has a channel to the first switch, a channel for every dimension in which source and destination
// differ, and a channel to the destination.
RC_GTEST_PROP(Hyperx, RoutesAreMinimalAndFreeOfDeadlock, ()) {
  std::vector<int> dims = random_dims(3, 4);
  dims.insert(dims.begin(), *rc::gen::inRange(1, 4));
  const Topology hyperx = sample(Kind::kHyperx, dims);
  const auto routing = make_routing(hyperx, *rc::gen::inRange(1, 4));
  ChannelDependencyGraph dependencies(hyperx, routing->num_vcs());
  dependencies.add_all_pairs(*routing);
  RC_ASSERT(dependencies.find_cycle().empty());
  const int n = hyperx.num_accelerators();
  const NodeId src = *rc::gen::inRange(0, n);
  const NodeId dst = *rc::gen::inRange(0, n);
  std::size_t expected = src == dst ? 1 : 3;
  int a = src / dims[0];
  int b = dst / dims[0];
  for (std::size_t d = 1; d < dims.size(); ++d) {
    if (a % dims[d] != b % dims[d]) ++expected;
    a /= dims[d];
    b /= dims[d];
  }
  RC_ASSERT(make_route(hyperx, *routing, src, dst, 0, 0).size() == expected);
}

TEST(Hyperx, RejectsInvalidDims) {
  const auto building = [](const std::vector<int>& dims) { return [dims] { sample(Kind::kHyperx, dims); }; };
  EXPECT_THAT(building({8}), ThrowsMessage<UnsupportedError>(HasSubstr("[accelerators per switch")));
  EXPECT_THAT(building({0, 8}), ThrowsMessage<UnsupportedError>(HasSubstr("accelerators per switch")));
  EXPECT_THAT(building({4, 0}), ThrowsMessage<UnsupportedError>(HasSubstr("along a dimension")));
  EXPECT_THAT(building({1000, 1000, 1000}), ThrowsMessage<UnsupportedError>(HasSubstr("too large")));
}

}  // namespace
}  // namespace coppice::topology
