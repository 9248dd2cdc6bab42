#include "schedule/compile/channel_paths.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include "base/error.h"
#include "machine.h"

namespace coppice::schedule {
namespace {

RC_GTEST_PROP(ReverseChannels, PairsEveryChannelWithAReverseChannel, ()) {
  const Machine machine = random_machine();
  const auto reverse = reverse_channels(machine.topology);
  for (std::size_t i = 0; i < reverse.size(); ++i) {
    const topology::Channel& there = machine.topology.channels()[i];
    const topology::Channel& back = machine.topology.channel(reverse[i]);
    RC_ASSERT(there.src == back.dst);
    RC_ASSERT(there.dst == back.src);
    RC_ASSERT(there.dimension == back.dimension);
    RC_ASSERT(reverse[static_cast<std::size_t>(reverse[i])] == static_cast<topology::ChannelId>(i));
  }
}

TEST(ReverseChannels, RejectsOneWayChannels) {
  topology::Topology topology(topology::Kind::kMesh, {2}, 2, 0);
  topology.add_channel(0, 1, {1}, 0);
  EXPECT_THAT([&] { reverse_channels(topology); },
              testing::ThrowsMessage<UnsupportedError>(testing::HasSubstr("0->1")));
}

// Each channel is paired with a reverse channel of the same bandwidth, regardless of the order in which
// channels were added.
TEST(ReverseChannels, PairsLinksOfTheSameSpeed) {
  constexpr Bandwidth kFast{16};
  constexpr Bandwidth kSlow{1};
  topology::Topology topology(topology::Kind::kFile, {}, 2, 0);
  topology.add_channel(0, 1, kSlow, 900);
  topology.add_channel(1, 0, kSlow, 900);
  topology.add_channel(0, 1, kFast, 10);
  topology.add_channel(1, 0, kFast, 10);
  EXPECT_THAT(reverse_channels(topology), testing::ElementsAre(1, 0, 3, 2));
}

TEST(FindChannel, PrefersTheFastestThenTheNearestThenTheFirst) {
  topology::Topology topology(topology::Kind::kFile, {}, 2, 0);
  topology.add_channel(0, 1, {1}, 10);
  EXPECT_EQ(find_channel(topology, 0, 1), 0);
  topology.add_channel(0, 1, {16}, 900);
  EXPECT_EQ(find_channel(topology, 0, 1), 1);
  topology.add_channel(0, 1, {16}, 10);
  topology.add_channel(0, 1, {16}, 10);
  EXPECT_EQ(find_channel(topology, 0, 1), 2);
}

TEST(FindChannel, PrefersTheFirstOfEqualChannels) {
  const Machine machine = torus({2});
  EXPECT_EQ(find_channel(machine.topology, 0, 1), machine.topology.out_channels(0)[0]);
  EXPECT_EQ(find_channel(mesh({3}).topology, 0, 2), -1);
}

}  // namespace
}  // namespace coppice::schedule
