#include "system/machine/attainable.h"

#include <gtest/gtest.h>

namespace coppice::system {
namespace {

const fabric::Framing kPackets{config::FlowControl::kPacket, 16, 256};

TEST(Attainable, IsTheShareOfDataInTheFlitsOfAPacket) {
  EXPECT_DOUBLE_EQ(data_share(kPackets), 16.0 / 17);
  EXPECT_DOUBLE_EQ(data_share({config::FlowControl::kMessage, 16, 256}), 1);
  EXPECT_DOUBLE_EQ(attainable_efficiency(kPackets, 1600, 100), 16.0 / 17);
  EXPECT_DOUBLE_EQ(framed_bound_ns(kPackets, 1600, 100), 1700);
}

// Packets of 16 B have a larger share of data than packets of 17 B, whose last flit contains a single byte.
TEST(Attainable, HoldsForShorterPackets) {
  EXPECT_DOUBLE_EQ(data_share({config::FlowControl::kPacket, 16, 17}), 0.5);
  EXPECT_DOUBLE_EQ(data_share({config::FlowControl::kPacket, 16, 12}), 12.0 / 32);
}

TEST(Attainable, IsLimitedByLatency) {
  EXPECT_DOUBLE_EQ(attainable_efficiency(kPackets, 100, 1000), 1);
  EXPECT_DOUBLE_EQ(attainable_efficiency(kPackets, 990, 1000), 1000 / (990 * 17.0 / 16));
  EXPECT_DOUBLE_EQ(attainable_efficiency(kPackets, 0, 0), 1);
}

}  // namespace
}  // namespace coppice::system
