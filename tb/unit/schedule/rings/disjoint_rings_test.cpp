#include "schedule/rings/disjoint_rings.h"

#include <gmock/gmock.h>

#include <set>

#include "machine.h"

namespace coppice::schedule {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

// Requires that every ring visits each accelerator once and that no channel belongs to two rings.
void expect_rings(const topology::Topology& topology, std::size_t count) {
  const auto rings = channel_rings(topology);
  EXPECT_EQ(rings.size(), count);
  std::set<topology::ChannelId> used;
  for (const auto& ring : rings) {
    std::set<NodeId> passed;
    NodeId at = topology.channel(ring.front()).src;
    for (const topology::ChannelId id : ring) {
      EXPECT_EQ(topology.channel(id).src, at);
      at = topology.channel(id).dst;
      passed.insert(at);
      EXPECT_TRUE(used.insert(id).second) << "channel " << id << " is in two rings";
    }
    EXPECT_EQ(at, topology.channel(ring.front()).src);
    EXPECT_THAT(passed, SizeIs(static_cast<std::size_t>(topology.num_accelerators())));
    EXPECT_THAT(ring, SizeIs(static_cast<std::size_t>(topology.num_accelerators())));
  }
}

TEST(ChannelRings, SixOnADgx1) {
  expect_rings(dgx1().topology, 6);
}

TEST(ChannelRings, TwoOnARingAndFourOnATorus) {
  expect_rings(torus({5}).topology, 2);
  expect_rings(torus({4, 4}).topology, 4);
}

TEST(ChannelRings, NoneWithoutACycle) {
  EXPECT_THAT(channel_rings(mesh({3}).topology), IsEmpty());
  EXPECT_THAT(channel_rings(mesh({3, 3}).topology), IsEmpty());
  EXPECT_THAT(channel_rings(torus({2}).topology), IsEmpty());
}

TEST(ChannelRings, NoneOverOneWayChannels) {
  topology::Topology topology(topology::Kind::kFile, {}, 3, 0);
  for (NodeId node = 0; node < 3; ++node) topology.add_channel(node, (node + 1) % 3, {1'000'000'000}, 0);
  EXPECT_THAT(channel_rings(topology), IsEmpty());
}

}  // namespace
}  // namespace coppice::schedule
