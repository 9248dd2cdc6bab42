#include "fabric/packet.h"

#include <gtest/gtest.h>

namespace coppice::fabric {
namespace {

TEST(PacketPool, ReusesReleasedPackets) {
  PacketPool pool;
  Packet packet;
  packet.tag = 1;
  const PacketId first = pool.acquire(packet);
  packet.tag = 2;
  const PacketId second = pool.acquire(packet);
  EXPECT_NE(first, second);
  EXPECT_EQ(pool.in_flight(), 2);
  pool.release(first);
  EXPECT_EQ(pool.in_flight(), 1);
  packet.tag = 3;
  EXPECT_EQ(pool.acquire(packet), first);
  EXPECT_EQ(pool[first].tag, 3U);
  EXPECT_EQ(pool[second].tag, 2U);
}

}  // namespace
}  // namespace coppice::fabric
