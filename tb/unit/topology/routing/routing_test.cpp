#include "topology/routing/routing.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>

#include "base/error.h"
#include "sample_dims.h"
#include "sample_links.h"

namespace coppice::topology {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

// The number of routers on a shortest path, including those of the source and of the destination.
int distance(const Topology& topology, bool torus, NodeId src, NodeId dst) {
  const auto from = topology.coordinates(src);
  const auto to = topology.coordinates(dst);
  int hops = 1;
  for (std::size_t d = 0; d < from.size(); ++d) {
    const int straight = std::abs(from[d] - to[d]);
    hops += torus ? std::min(straight, topology.dims()[d] - straight) : straight;
  }
  return hops;
}

TEST(DimensionOrderRouting, LowestDimensionFirst) {
  const Topology mesh = sample_mesh({3, 3});
  const auto routing = make_dimension_order_routing(mesh, 2);
  // The route is 0 -> 1 -> 2 -> 5 -> 8. Node 2 has no channel in the positive direction of dimension 0, so
  // port numbers shift.
  EXPECT_THAT(make_route(mesh, *routing, 0, 8, 0, 0),
              ElementsAre(Hop{0, {0, 2}}, Hop{0, {0, 2}}, Hop{1, {0, 2}}, Hop{1, {0, 2}}, Hop{2, {0, 2}}));
}

TEST(DimensionOrderRouting, CrossingTheDatelineUsesTheUpperHalf) {
  const Topology ring = sample_torus({5});
  const auto routing = make_dimension_order_routing(ring, 4);
  EXPECT_THAT(make_route(ring, *routing, 3, 0, 0, 0),
              ElementsAre(Hop{0, {2, 4}}, Hop{0, {2, 4}}, Hop{2, {0, 4}}));
  EXPECT_THAT(make_route(ring, *routing, 1, 4, 0, 0),
              ElementsAre(Hop{1, {2, 4}}, Hop{1, {2, 4}}, Hop{2, {0, 4}}));
  EXPECT_THAT(make_route(ring, *routing, 1, 3, 0, 0),
              ElementsAre(Hop{0, {0, 2}}, Hop{0, {0, 2}}, Hop{2, {0, 4}}));
  EXPECT_THAT(make_route(ring, *routing, 3, 1, 0, 0),
              ElementsAre(Hop{1, {0, 2}}, Hop{1, {0, 2}}, Hop{2, {0, 4}}));
}

TEST(DimensionOrderRouting, OddVirtualChannelsFavourTheLowerClass) {
  const Topology ring = sample_torus({3});
  const auto routing = make_dimension_order_routing(ring, 3);
  EXPECT_EQ(routing->num_vcs(), 3);
  EXPECT_EQ(make_route(ring, *routing, 0, 1, 0, 0).front(), (Hop{0, {0, 2}}));
  EXPECT_EQ(make_route(ring, *routing, 2, 0, 0, 0).front(), (Hop{0, {2, 3}}));
}

TEST(DimensionOrderRouting, TieBitsChooseTheDirection) {
  const Topology torus = sample_torus({4, 3, 4});
  const auto routing = make_dimension_order_routing(torus, 2);
  EXPECT_EQ(routing->num_tie_bits(), 3);
  const NodeId dst = torus.node_at(std::vector{2, 0, 2});
  const auto ports = [&](std::uint32_t tie_bits) {
    std::vector<int> result;
    for (const Hop& hop : make_route(torus, *routing, 0, dst, tie_bits, 0)) result.push_back(hop.out_port);
    return result;
  };
  EXPECT_THAT(ports(0), ElementsAre(0, 0, 4, 4, 6));
  EXPECT_THAT(ports(1), ElementsAre(1, 1, 4, 4, 6));
  EXPECT_THAT(ports(4), ElementsAre(0, 0, 5, 5, 6));
  EXPECT_EQ(ports(2), ports(0));
  EXPECT_EQ(make_dimension_order_routing(sample_torus({4, 3}), 2)->num_tie_bits(), 1);
  EXPECT_EQ(make_dimension_order_routing(sample_torus({3, 5}), 2)->num_tie_bits(), 0);
  EXPECT_EQ(make_dimension_order_routing(sample_mesh({4, 4}), 2)->num_tie_bits(), 0);
}

TEST(DimensionOrderRouting, WidthTwoUsesBothChannelsAndAllVirtualChannels) {
  const Topology torus = sample_torus({2, 2});
  EXPECT_EQ(min_vcs(torus), 1);
  const auto routing = make_dimension_order_routing(torus, 1);
  EXPECT_THAT(make_route(torus, *routing, 1, 0, 0, 0), ElementsAre(Hop{0, {0, 1}}, Hop{4, {0, 1}}));
  EXPECT_THAT(make_route(torus, *routing, 1, 0, 1, 0), ElementsAre(Hop{1, {0, 1}}, Hop{4, {0, 1}}));
  EXPECT_THAT(make_route(torus, *routing, 1, 3, 2, 0), ElementsAre(Hop{3, {0, 1}}, Hop{4, {0, 1}}));
}

TEST(DimensionOrderRouting, ToItselfIsEjection) {
  const Topology torus = sample_torus({4, 4});
  const auto routing = make_dimension_order_routing(torus, 4);
  EXPECT_THAT(make_route(torus, *routing, 5, 5, 0, 3), ElementsAre(Hop{7, {0, 4}}));
  const Topology lone = sample_torus({1});
  EXPECT_THAT(make_route(lone, *make_dimension_order_routing(lone, 1), 0, 0, 0, 0),
              ElementsAre(Hop{0, {0, 1}}));
}

TEST(DimensionOrderRouting, RefusesTooFewOrTooManyVirtualChannels) {
  EXPECT_EQ(min_vcs(sample_torus({3, 1})), 2);
  EXPECT_EQ(min_vcs(sample_mesh({8, 8})), 1);
  EXPECT_THAT(
      [] {
        make_dimension_order_routing(sample_torus({4, 4}), 1);
      },
      ThrowsMessage<UnsupportedError>(HasSubstr("1 virtual channels are not supported on torus 4x4: use 2")));
  EXPECT_THAT(
      [] {
        make_dimension_order_routing(sample_mesh({4, 4}), 0);
      },
      ThrowsMessage<UnsupportedError>(
          HasSubstr("0 virtual channels are not supported on mesh 4x4: use 1 to 255")));
  EXPECT_THROW(make_dimension_order_routing(sample_mesh({4, 4}), 256), UnsupportedError);
  EXPECT_THAT([] { make_dimension_order_routing(Topology(Kind::kFile, {}, 2, 0), 4); },
              ThrowsMessage<UnsupportedError>(HasSubstr("torus, mesh or ring")));
}

TEST(MakeRoute, ReportsARouteThatNeverArrives) {
  class Circling final : public RoutingFunction {
   public:
    Hop next_hop(NodeId, NodeId, RouteState&, int) const override { return {0, {0, 1}}; }
    int num_tie_bits() const override { return 0; }
    int num_vcs() const override { return 1; }
  };
  const Topology torus = sample_torus({4});
  EXPECT_THAT([&] { make_route(torus, Circling(), 0, 2, 0, 0); },
              ThrowsMessage<ModelError>(HasSubstr("from 0 to 2 on torus 4 does not reach the destination")));
}

RC_GTEST_PROP(DimensionOrderRouting, RoutesAreMinimalAndEndAtTheEjectionPort, ()) {
  const auto dims = random_dims(3, 6);
  const bool torus = *rc::gen::arbitrary<bool>();
  const Topology topology = torus ? sample_torus(dims) : sample_mesh(dims);
  const int vcs = *rc::gen::inRange(min_vcs(topology), 6);
  const auto routing = make_dimension_order_routing(topology, vcs);
  const NodeId src = *rc::gen::inRange(0, topology.num_nodes());
  const NodeId dst = *rc::gen::inRange(0, topology.num_nodes());
  const auto tie_bits = *rc::gen::inRange<std::uint32_t>(0, 1U << dims.size());
  const int ejection_port = *rc::gen::inRange(0, 4);

  const Route route = make_route(topology, *routing, src, dst, tie_bits, ejection_port);
  RC_ASSERT(static_cast<int>(route.size()) == distance(topology, torus, src, dst));
  NodeId at = src;
  int dimension = -1;
  std::map<int, VcRange> vcs_of_dimension;
  for (std::size_t i = 0; i + 1 < route.size(); ++i) {
    RC_ASSERT(route[i].vcs.begin < route[i].vcs.end);
    RC_ASSERT(route[i].vcs.end <= vcs);
    const Channel& channel = topology.channel(topology.out_channels(at)[route[i].out_port]);
    RC_ASSERT(channel.dimension >= dimension);
    dimension = channel.dimension;
    RC_ASSERT(vcs_of_dimension.try_emplace(dimension, route[i].vcs).first->second == route[i].vcs);
    at = channel.dst;
  }
  RC_ASSERT(at == dst);
  RC_ASSERT(route.back().out_port ==
            topology.out_channels(dst).size() + static_cast<std::size_t>(ejection_port));
  RC_ASSERT((route.back().vcs == VcRange{0, static_cast<std::uint8_t>(vcs)}));
}

}  // namespace
}  // namespace coppice::topology
