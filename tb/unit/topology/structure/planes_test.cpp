#include "topology/structure/planes.h"

#include <gmock/gmock.h>

#include "topology/networks/builders.h"
#include "topology/networks/hierarchy.h"

namespace coppice::topology {
namespace {

constexpr LinkSpec kLink{{16'000'000'000}, 150'000'000};

// A box of `accelerators` accelerators, each of which has `links` links to each of `switches` switches.
Topology box(int accelerators, int switches, int links) {
  Topology network(Kind::kFile, {}, accelerators, switches);
  for (NodeId node = 0; node < accelerators; ++node) {
    for (NodeId hub = accelerators; hub < accelerators + switches; ++hub) {
      for (int link = 0; link < links; ++link) {
        network.add_channel(node, hub, kLink.bandwidth, kLink.latency);
        network.add_channel(hub, node, kLink.bandwidth, kLink.latency);
      }
    }
  }
  return network;
}

TEST(FindPlanes, AreSwitchesThatConnectAllAccelerators) {
  const auto planes = find_planes(box(8, 4, 1));
  ASSERT_EQ(planes.size(), 4U);
  for (const Plane& plane : planes) {
    EXPECT_EQ(plane.network.num_switches(), 1);
    EXPECT_EQ(plane.network.channels().size(), 16U);
    EXPECT_EQ(plane.bandwidth, kLink.bandwidth);
  }
  EXPECT_EQ(planes.back().nodes.back(), 11);
  EXPECT_TRUE(find_planes(box(8, 1, 1)).empty());
}

TEST(FindPlanes, AreParallelLinksTheFastestFirst) {
  EXPECT_EQ(find_planes(box(4, 2, 3)).size(), 6U);
  Topology pair(Kind::kFile, {}, 2, 0);
  for (const std::int64_t rate : {1, 16}) {
    pair.add_channel(0, 1, {rate}, 0);
    pair.add_channel(1, 0, {rate}, 0);
  }
  const auto planes = find_planes(pair);
  ASSERT_EQ(planes.size(), 2U);
  EXPECT_EQ(planes[0].bandwidth, Bandwidth{16});
  EXPECT_EQ(planes[1].bandwidth, Bandwidth{1});
  EXPECT_THAT(planes[0].channels, testing::ElementsAre(2, 3));
  EXPECT_THAT(planes[1].channels, testing::ElementsAre(0, 1));
}

// A switch that only receives, such as a mirror port's, belongs to the plane from which it receives.
TEST(FindPlanes, KeepSwitchesThatOnlyReceive) {
  Topology network(Kind::kFile, {}, 2, 3);
  for (NodeId node = 0; node < 2; ++node) {
    for (const NodeId hub : {2, 3}) {
      network.add_channel(node, hub, kLink.bandwidth, kLink.latency);
      network.add_channel(hub, node, kLink.bandwidth, kLink.latency);
    }
  }
  network.add_channel(2, 4, kLink.bandwidth, kLink.latency);
  const auto planes = find_planes(network);
  ASSERT_EQ(planes.size(), 2U);
  EXPECT_EQ(planes[0].network.num_switches() + planes[1].network.num_switches(), 3);
}

// Boxes with rails do not have planes, and neither does a ring in which only some links are doubled.
TEST(FindPlanes, DoNotExistIfASwitchConnectsOnlySome) {
  const DimensionSpec dimension{.kind = DimensionKind::kSwitch, .size = 4, .bandwidth = kLink.bandwidth};
  EXPECT_TRUE(find_planes(make_hierarchy(std::vector{dimension, dimension})).empty());
  Topology ring(Kind::kFile, {}, 3, 0);
  for (NodeId node = 0; node < 3; ++node) ring.add_channel(node, (node + 1) % 3, {1}, 0);
  ring.add_channel(0, 1, {1}, 0);
  EXPECT_TRUE(find_planes(ring).empty());
}

}  // namespace
}  // namespace coppice::topology
