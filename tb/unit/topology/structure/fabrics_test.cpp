#include "topology/structure/fabrics.h"

#include <gmock/gmock.h>

namespace coppice::topology {
namespace {

// Two leaves with two accelerators each, and a spine. Bandwidths in GB/s: `access` for links to accelerators,
// `up` and `down` for the two directions of links to the spine.
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

TEST(JoinFabrics, MakesOneSwitchOfLeavesAndSpines) {
  const auto joined = join_fabrics(leaves_and_spine(10, 20, 20));
  ASSERT_TRUE(joined);
  EXPECT_EQ(joined->num_accelerators(), 4);
  EXPECT_EQ(joined->num_switches(), 1);
  ASSERT_EQ(joined->channels().size(), 8U);
  for (const Channel& channel : joined->channels()) {
    EXPECT_EQ(channel.bandwidth.bytes_per_second, 10'000'000'000);
    EXPECT_EQ(channel.latency, 10 + 30);  // half of the latency between accelerators of different leaves
  }
}

TEST(JoinFabrics, NeedsBandwidthBetweenSwitchesInBothDirections) {
  EXPECT_FALSE(join_fabrics(leaves_and_spine(10, 19, 20)));
  EXPECT_FALSE(join_fabrics(leaves_and_spine(10, 20, 19)));
}

TEST(JoinFabrics, LeavesNetworksOfSeparateSwitches) {
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
