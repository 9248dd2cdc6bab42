#include "fabric/trains/route_images.h"

#include <gtest/gtest.h>

#include "small_fabric.h"

namespace coppice::fabric {
namespace {

using topology::Hop;
using topology::Route;
using topology::VcRange;

constexpr int kNodes = 4;

// A unidirectional ring of four nodes. If `uneven`, the channel from node 2 is slower than the others.
topology::Topology ring(bool uneven = false) {
  topology::Topology ring(topology::Kind::kRing, {kNodes}, kNodes, 0);
  for (NodeId node = 0; node < kNodes; ++node) {
    const std::int64_t bandwidth = uneven && node == 2 ? 8'000'000'000 : 16'000'000'000;
    ring.add_channel(node, (node + 1) % kNodes, {bandwidth}, kCycle);
  }
  return ring;
}

// A route to the network interface of the next node on the ring.
Route to_next(VcRange vcs = {0, 4}) {
  return {Hop{.out_port = 0, .vcs = vcs}, Hop{.out_port = 1, .vcs = {0, 4}}};
}

TEST(RouteImages, FollowARouteFromEveryAccelerator) {
  const topology::Topology topology = ring();
  const Route route = to_next();
  RouteImages images(topology, 0);
  ASSERT_TRUE(images.add(std::vector<const Route*>(kNodes, &route)));
  const RouteImages::Images& found = images.of(route);
  EXPECT_EQ(found.incoming, &route);
  EXPECT_EQ(found.incoming_src, 3);
  const auto channels = images.channels(found, 0);
  EXPECT_EQ(std::vector<topology::ChannelId>(channels.begin(), channels.end()),
            (std::vector<topology::ChannelId>{0, 1, 2, 3}));
  EXPECT_TRUE(images.channels(found, 1).empty()) << "ejection uses no channel";
}

TEST(RouteImages, RejectDifferentRoutes) {
  const Route route = to_next();
  const topology::Topology uneven = ring(true);
  EXPECT_FALSE(RouteImages(uneven, 0).add(std::vector<const Route*>(kNodes, &route))) << "bandwidth";
  const topology::Topology even = ring();
  const Route narrow = to_next({0, 2});
  std::vector<const Route*> mixed(kNodes, &route);
  mixed[1] = &narrow;
  EXPECT_FALSE(RouteImages(even, 0).add(mixed)) << "virtual channels";
  Route far = to_next();
  far.insert(far.begin(), far.front());
  std::vector<const Route*> uneven_ends(kNodes, &route);
  uneven_ends[1] = &far;
  EXPECT_FALSE(RouteImages(even, 0).add(uneven_ends)) << "another number of channels";
}

// Nodes 0, 2 and 3 receive the two routes at different ejection ports; node 1 receives both at the same port.
TEST(RouteImages, RejectEjectionPortsThatOnlyOneAcceleratorShares) {
  const topology::Topology topology = ring();
  const Route one = to_next();
  Route other = to_next();
  other.back().out_port = 2;
  const std::vector<const Route*> all_one(kNodes, &one);
  RouteImages images(topology, 0);
  ASSERT_TRUE(images.add(all_one));
  const Route another_port = to_next({1, 4});
  Route at_other = another_port;
  at_other.back().out_port = 2;
  std::vector<const Route*> mixed(kNodes, &at_other);
  mixed[0] = &another_port;
  EXPECT_FALSE(images.add(mixed));
  // Corresponding ejection ports may have different numbers at different nodes.
  std::vector<const Route*> renumbered(kNodes, &one);
  renumbered[0] = &other;
  EXPECT_TRUE(RouteImages(topology, 0).add(renumbered));
}

// All messages between the two accelerators pass through switches 2 and 3, so images of a route would share
// channels.
TEST(RouteImages, RejectChannelsThatTwoImagesUse) {
  topology::Topology topology(topology::Kind::kFile, {}, 2, 2);
  for (const auto& [src, dst] : {std::pair{0, 2}, {1, 2}, {2, 3}, {3, 0}, {3, 1}}) {
    topology.add_channel(src, dst, {16'000'000'000}, kCycle);
  }
  const VcRange all{0, 4};
  const Route from_0{{0, all}, {0, all}, {1, all}, {1, all}};
  const Route from_1{{0, all}, {0, all}, {0, all}, {1, all}};
  RouteImages images(topology, 0);
  const std::vector<const Route*> both{&from_0, &from_1};
  EXPECT_FALSE(images.add(both));
}

}  // namespace
}  // namespace coppice::fabric
