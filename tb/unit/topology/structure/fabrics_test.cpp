#include "topology/structure/fabrics.h"

#include <gmock/gmock.h>

#include <map>
#include <set>
#include <vector>

namespace coppice::topology {
namespace {

// Two leaves with two accelerators each, and a spine. The bandwidths in GB/s are `access` for links to
// accelerators, `up` for channels to the spine and `down` for channels from the spine.
Topology leaves_and_spine(std::int64_t access, std::int64_t up, std::int64_t down) {
  constexpr NodeId kSpine = 6;
  Topology network(Kind::kFile, {}, 4, 3);
  for (NodeId node = 0; node < 4; ++node) {
    network.add_channel(node, 4 + node / 2, {access * 1'000'000'000}, 10);
    network.add_channel(4 + node / 2, node, {access * 1'000'000'000}, 10);
  }
  for (const NodeId leaf : {4, 5}) {
    network.add_channel(leaf, kSpine, {up * 1'000'000'000}, 30);
    network.add_channel(kSpine, leaf, {down * 1'000'000'000}, 30);
  }
  return network;
}

TEST(JoinFabrics, ReplacesLeavesAndSpinesWithOneSwitch) {
  const auto joined = join_fabrics(leaves_and_spine(10, 20, 20));
  ASSERT_TRUE(joined);
  EXPECT_EQ(joined->network.num_accelerators(), 4);
  EXPECT_EQ(joined->network.num_switches(), 1);
  ASSERT_EQ(joined->network.channels().size(), 8U);
  for (const Channel& channel : joined->network.channels()) {
    EXPECT_EQ(channel.bandwidth.bytes_per_second, 10'000'000'000);
    EXPECT_EQ(channel.latency, 10 + 30);  // half of the latency between accelerators on different leaves
  }
}

// Links two nodes in both directions.
void link(Topology& network, NodeId a, NodeId b, std::int64_t rate) {
  network.add_channel(a, b, {rate}, 10);
  network.add_channel(b, a, {rate}, 10);
}

// Boxes of two accelerators whose two rails share a spine. The last box is connected to the rails the other
// way round.
TEST(JoinFabrics, ReplacesEveryRailWithOneSwitch) {
  constexpr NodeId kSpine = 16;
  Topology network(Kind::kFile, {}, 8, 9);  // four box switches, four leaves and a spine
  for (NodeId node = 0; node < 8; ++node) link(network, node, 8 + node / 2, 400);
  const NodeId leaves[] = {12, 13, 12, 13, 14, 15, 15, 14};
  for (NodeId node = 0; node < 8; ++node) link(network, node, leaves[node], 50);
  for (NodeId leaf = 12; leaf < 16; ++leaf) link(network, leaf, kSpine, 100);
  const auto joined = join_fabrics(network);
  ASSERT_TRUE(joined);
  ASSERT_EQ(joined->network.num_switches(), 4 + 2);
  std::map<NodeId, std::set<NodeId>> on;
  for (const Channel& channel : joined->network.channels()) {
    if (!joined->network.is_accelerator(channel.src)) on[channel.src].insert(channel.dst);
  }
  std::vector<std::set<NodeId>> groups;
  for (const auto& [hub, members] : on) groups.push_back(members);
  EXPECT_THAT(groups,
              testing::UnorderedElementsAre(std::set{0, 1}, std::set{2, 3}, std::set{4, 5}, std::set{6, 7},
                                            std::set{0, 2, 4, 7}, std::set{1, 3, 5, 6}));
}

// Each leaf serves whole boxes. The first accelerators of all boxes form one rail, and the second
// accelerators form another.
TEST(JoinFabrics, MakesRailsFromRanksIfALeafServesABox) {
  constexpr NodeId kSpine = 8;
  Topology network(Kind::kFile, {}, 4, 5);  // two box switches, two leaves and a spine
  for (NodeId node = 0; node < 4; ++node) {
    link(network, node, 4 + node / 2, 400);
    link(network, node, 6 + node / 2, 50);
  }
  for (const NodeId leaf : {6, 7}) link(network, leaf, kSpine, 100);
  const auto joined = join_fabrics(network);
  ASSERT_TRUE(joined);
  EXPECT_EQ(joined->network.num_switches(), 2 + 2);
}

TEST(JoinFabrics, NeedsBandwidthBetweenSwitchesInBothDirections) {
  EXPECT_FALSE(join_fabrics(leaves_and_spine(10, 19, 20)));
  EXPECT_FALSE(join_fabrics(leaves_and_spine(10, 20, 19)));
}

// 2 x 100 GB/s against 3 x 66.666 GB/s.
TEST(JoinFabrics, AllowsForRoundedBandwidths) {
  Topology network(Kind::kFile, {}, 4, 5);
  for (NodeId node = 0; node < 4; ++node) link(network, node, 4 + node / 2, 100'000);
  for (const NodeId leaf : {4, 5}) {
    for (const NodeId spine : {6, 7, 8}) link(network, leaf, spine, 66'666);
  }
  EXPECT_TRUE(join_fabrics(network));
}

TEST(JoinFabrics, DoesNotChangeNetworksOfSeparateSwitches) {
  Topology network(Kind::kFile, {}, 2, 2);
  for (const NodeId node : {0, 1}) {
    for (const NodeId hub : {2, 3}) {
      network.add_channel(node, hub, {1}, 0);
      network.add_channel(hub, node, {1}, 0);
    }
  }
  EXPECT_FALSE(join_fabrics(network));
}

}  // namespace
}  // namespace coppice::topology
