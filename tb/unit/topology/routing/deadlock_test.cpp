#include "topology/routing/deadlock.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "base/error.h"
#include "sample_dims.h"
#include "sample_links.h"

namespace coppice::topology {
namespace {

using testing::AnyOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::ThrowsMessage;

using Cycle = std::vector<std::pair<ChannelId, int>>;

// Whether each channel of the cycle leads to the source of the next one.
bool is_closed(const Topology& topology, const Cycle& cycle) {
  for (std::size_t i = 0; i < cycle.size(); ++i) {
    const Channel& here = topology.channel(cycle[i].first);
    const Channel& next = topology.channel(cycle[(i + 1) % cycle.size()].first);
    if (here.dst != next.src) return false;
  }
  return !cycle.empty();
}

// Faulty dimension-order routing that permits all virtual channels on every hop, so that it can deadlock.
class WithoutDateline final : public RoutingFunction {
 public:
  WithoutDateline(const Topology& topology, int vcs)
      : ordered_(make_dimension_order_routing(topology, vcs)) {}
  Hop next_hop(NodeId at, NodeId dst, RouteState& state, int ejection_port) const override {
    Hop hop = ordered_->next_hop(at, dst, state, ejection_port);
    hop.vcs = {0, static_cast<std::uint8_t>(num_vcs())};
    return hop;
  }
  int num_tie_bits() const override { return ordered_->num_tie_bits(); }
  int num_vcs() const override { return ordered_->num_vcs(); }

 private:
  std::unique_ptr<RoutingFunction> ordered_;
};

TEST(ChannelDependencyGraph, ReportsTheCycleOfRoutesAroundARing) {
  const Topology ring = sample_torus({3});
  ChannelDependencyGraph graph(ring, 2);
  const Route two_hops{{0, {1, 2}}, {0, {1, 2}}, {2, {0, 2}}};
  for (const NodeId src : {0, 1}) graph.add_route(src, two_hops);
  EXPECT_THAT(graph.find_cycle(), IsEmpty());
  graph.add_route(2, two_hops);
  const Cycle cycle = graph.find_cycle();
  EXPECT_THAT(cycle, SizeIs(3));
  EXPECT_TRUE(is_closed(ring, cycle));
  EXPECT_THAT(graph.describe(cycle), AnyOf("channel 0->1 vc 1, channel 1->2 vc 1, channel 2->0 vc 1",
                                           "channel 1->2 vc 1, channel 2->0 vc 1, channel 0->1 vc 1",
                                           "channel 2->0 vc 1, channel 0->1 vc 1, channel 1->2 vc 1"));
}

TEST(ChannelDependencyGraph, ADifferentVirtualChannelBreaksTheCycle) {
  const Topology ring = sample_torus({3});
  ChannelDependencyGraph graph(ring, 2);
  graph.add_route(0, Route{{0, {0, 1}}, {0, {0, 1}}, {2, {0, 2}}});
  graph.add_route(1, Route{{0, {0, 1}}, {0, {0, 1}}, {2, {0, 2}}});
  graph.add_route(2, Route{{0, {1, 2}}, {0, {1, 2}}, {2, {0, 2}}});
  EXPECT_THAT(graph.find_cycle(), IsEmpty());
  // A route that may use either virtual channel closes the cycle again.
  graph.add_route(2, Route{{0, {0, 2}}, {0, {0, 2}}, {2, {0, 2}}});
  EXPECT_TRUE(is_closed(ring, graph.find_cycle()));
}

TEST(ChannelDependencyGraph, RefusesVirtualChannelsThatDoNotExist) {
  const Topology ring = sample_torus({3});
  ChannelDependencyGraph graph(ring, 2);
  EXPECT_THAT(
      [&] {
        graph.add_route(0, Route{{0, {0, 1}}, {0, {1, 3}}, {2, {0, 2}}});
      },
      ThrowsMessage<ModelError>(HasSubstr("allows virtual channels 1 to 2, but there are 2")));
}

TEST(ChannelDependencyGraph, FollowsBothDirectionsOfATie) {
  // On a ring of 4, only a route halfway around the ring has several hops, so every cycle needs such routes.
  const Topology ring = sample_torus({4});
  const WithoutDateline routing(ring, 2);
  ChannelDependencyGraph graph(ring, 2);
  graph.add_all_pairs(routing);
  const Cycle cycle = graph.find_cycle();
  ASSERT_TRUE(is_closed(ring, cycle));

  ChannelDependencyGraph upward_only(ring, 2);
  ChannelDependencyGraph downward_only(ring, 2);
  for (NodeId src = 0; src < 4; ++src) {
    upward_only.add_route(src, make_route(ring, routing, src, (src + 2) % 4, 0, 0));
    downward_only.add_route(src, make_route(ring, routing, src, (src + 2) % 4, 1, 0));
  }
  EXPECT_TRUE(is_closed(ring, upward_only.find_cycle()));
  EXPECT_TRUE(is_closed(ring, downward_only.find_cycle()));
}

RC_GTEST_PROP(ChannelDependencyGraph, EveryTorusAndMeshIsFreeOfDeadlock, ()) {
  const auto dims = random_dims(3, 6);
  const Topology topology = *rc::gen::arbitrary<bool>() ? sample_torus(dims) : sample_mesh(dims);
  const int vcs = *rc::gen::inRange(min_vcs(topology), 6);
  ChannelDependencyGraph graph(topology, vcs);
  graph.add_all_pairs(*make_dimension_order_routing(topology, vcs));
  RC_ASSERT(graph.find_cycle().empty());
}

RC_GTEST_PROP(ChannelDependencyGraph, ATorusWithoutDatelineIsNot, ()) {
  auto dims = random_dims(2, 5);
  dims.push_back(*rc::gen::inRange(4, 7));  // a ring of 3 has no routes with two hops in one direction
  const Topology topology = sample_torus(dims);
  ChannelDependencyGraph graph(topology, 2);
  graph.add_all_pairs(WithoutDateline(topology, 2));
  RC_ASSERT(is_closed(topology, graph.find_cycle()));
}

// add_all_pairs(), which merges equal states, must find the same dependencies as adding every route
// separately.
RC_GTEST_PROP(ChannelDependencyGraph, AllPairsEqualsRouteByRoute, ()) {
  const auto dims = random_dims(3, 4);
  const Topology topology = sample_torus(dims);
  const auto routing = make_dimension_order_routing(topology, 3);
  ChannelDependencyGraph all(topology, 3);
  all.add_all_pairs(*routing);
  ChannelDependencyGraph one_by_one(topology, 3);
  for (NodeId src = 0; src < topology.num_nodes(); ++src) {
    for (NodeId dst = 0; dst < topology.num_nodes(); ++dst) {
      for (std::uint32_t ties = 0; ties < 1U << routing->num_tie_bits(); ++ties) {
        one_by_one.add_route(src, make_route(topology, *routing, src, dst, ties, 0));
      }
    }
  }
  RC_ASSERT(all == one_by_one);
}

}  // namespace
}  // namespace coppice::topology
