#include <gmock/gmock.h>

#include "base/error.h"
#include "sample_links.h"
#include "topology/networks/kinds.h"
#include "topology/routing/deadlock.h"
#include "topology/routing/routing.h"

namespace coppice::topology {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;

TEST(Ring, IsAOneDimensionalTorus) {
  for (const int size : {1, 2, 3, 8}) {
    const Topology ring = sample(Kind::kRing, {size});
    const Topology torus = sample_torus({size});
    ASSERT_EQ(ring.channels().size(), torus.channels().size());
    for (std::size_t i = 0; i < ring.channels().size(); ++i) {
      EXPECT_EQ(ring.channels()[i].src, torus.channels()[i].src);
      EXPECT_EQ(ring.channels()[i].dst, torus.channels()[i].dst);
    }
  }
  EXPECT_THAT(neighbours(sample(Kind::kRing, {5}), 0), ElementsAre(1, 4));
  EXPECT_EQ(sample(Kind::kRing, {5}).name(), "ring 5");
}

TEST(Ring, IsRoutedByDimensionOrderWithADateline) {
  const Topology ring = sample(Kind::kRing, {7});
  EXPECT_EQ(min_vcs(ring), 2);
  const auto routing = make_routing(ring, 2);
  EXPECT_THAT(make_route(ring, *routing, 6, 1, 0, 0),
              ElementsAre(Hop{0, {1, 2}}, Hop{0, {1, 2}}, Hop{2, {0, 2}}));
  ChannelDependencyGraph graph(ring, 2);
  graph.add_all_pairs(*routing);
  EXPECT_THAT(graph.find_cycle(), IsEmpty());
}

TEST(Ring, RefusesOtherDims) {
  EXPECT_THAT(
      [] {
        sample(Kind::kRing, {4, 4});
      },
      ThrowsMessage<UnsupportedError>(HasSubstr("needs dims [n], not [4, 4]")));
  EXPECT_THAT([] { sample(Kind::kRing, {0}); }, ThrowsMessage<UnsupportedError>(HasSubstr("at least 1")));
  EXPECT_THAT([] { sample(Kind::kRing, {1 << 30}); },
              ThrowsMessage<UnsupportedError>(HasSubstr("too large")));
}

}  // namespace
}  // namespace coppice::topology
