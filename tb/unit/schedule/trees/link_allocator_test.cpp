#include "schedule/trees/link_allocator.h"

#include <gtest/gtest.h>

namespace coppice::schedule {
namespace {

using topology::ChannelId;

// Two accelerators joined by switch 2; channels: 0 -> 2 of 3 B/s, 2 -> 1 of 1 B/s, 0 -> 1 of 5 B/s,
// 2 -> 0 of 2 B/s.
topology::Topology uneven() {
  topology::Topology graph(topology::Kind::kFile, {}, 2, 1);
  graph.add_channel(0, 2, {3}, 0);
  graph.add_channel(2, 1, {1}, 0);
  graph.add_channel(0, 1, {5}, 0);
  graph.add_channel(2, 0, {2}, 0);
  return graph;
}

TEST(LinkAllocator, AChannelServesAsManyAsItIsFasterThanTheSlowest) {
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

// The path has the rate of its slow second channel, so the first is busy for the whole timestep.
TEST(LinkAllocator, ThePaceOfAPathIsThatOfItsSlowestChannel) {
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
