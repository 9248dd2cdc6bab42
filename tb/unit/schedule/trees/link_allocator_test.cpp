#include "schedule/trees/link_allocator.h"

#include <gtest/gtest.h>

namespace coppice::schedule {
namespace {

using topology::ChannelId;

// Accelerators 0 and 1, connected directly and through switch 2. The channels are 0 -> 2 (3 B/s), 2 -> 1 (1
// B/s), 0 -> 1 (5 B/s) and 2 -> 0 (2 B/s).
topology::Topology uneven() {
  topology::Topology graph(topology::Kind::kFile, {}, 2, 1);
  graph.add_channel(0, 2, {3}, 0);
  graph.add_channel(2, 1, {1}, 0);
  graph.add_channel(0, 1, {5}, 0);
  graph.add_channel(2, 0, {2}, 0);
  return graph;
}

TEST(LinkAllocator, AChannelServesMessagesInProportionToItsSpeed) {
  const topology::Topology graph = uneven();
  LinkAllocator links(graph);
  EXPECT_FALSE(links.uniform());
  links.next_step();
  for (int i = 0; i < 5; ++i) {
    EXPECT_TRUE(links.is_free(2));
    links.take(ChannelId{2});
  }
  EXPECT_FALSE(links.is_free(2));
  links.next_step();
  EXPECT_TRUE(links.is_free(2));
}

// A path is as slow as its slowest channel, here the second, so it also occupies the first channel for the
// whole timestep.
TEST(LinkAllocator, APathIsAsSlowAsItsSlowestChannel) {
  const topology::Topology graph = uneven();
  LinkAllocator links(graph);
  links.next_step();
  const std::vector<ChannelId> path{0, 1};
  EXPECT_TRUE(links.fits(path));
  links.take(path);
  EXPECT_FALSE(links.is_free(0));
  links.next_step();
  links.take(ChannelId{0});
  EXPECT_TRUE(links.is_free(0));
  EXPECT_FALSE(links.fits(path));
}

}  // namespace
}  // namespace coppice::schedule
