#include "fabric/framing.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace coppice::fabric {
namespace {

constexpr Framing kPackets{config::FlowControl::kPacket, 16, 256};
constexpr Framing kMessages{config::FlowControl::kMessage, 16, 256};

// 64 KiB is a chunk of a 1 MiB all-reduce on 16 accelerators: 256 packets of a head and 16 data flits.
TEST(Framing, CountsTheHeadOfEveryPacket) {
  EXPECT_EQ(kPackets.packets(65536), 256);
  EXPECT_EQ(kPackets.packet_flits(65536, 0), 17);
  EXPECT_EQ(kPackets.flits(65536), 4352);
}

TEST(Framing, AMessageHasOneHead) {
  EXPECT_EQ(kMessages.packets(65536), 1);
  EXPECT_EQ(kMessages.flits(65536), 4097);
  EXPECT_EQ(kMessages.packet_flits(65536, 0), 4097);
}

TEST(Framing, EndsWithAShorterPacket) {
  EXPECT_EQ(kPackets.packets(260), 2);
  EXPECT_EQ(kPackets.packet_flits(260, 1), 2);
  EXPECT_EQ(kPackets.flits(260), 19);
  EXPECT_EQ(kPackets.flits(4), 2);
}

RC_GTEST_PROP(Framing, PacketsAddUpToTheMessage, ()) {
  const auto flow_control = *rc::gen::element(config::FlowControl::kPacket, config::FlowControl::kMessage);
  const Bytes flit = *rc::gen::inRange<Bytes>(1, 65);
  const Framing framing{flow_control, flit, flit * *rc::gen::inRange<Bytes>(1, 33)};
  const Bytes bytes = *rc::gen::inRange<Bytes>(1, 100'000);
  std::int64_t flits = 0;
  for (std::int64_t i = 0; i < framing.packets(bytes); ++i) {
    RC_ASSERT(framing.packet_flits(bytes, i) >= 2);
    flits += framing.packet_flits(bytes, i);
  }
  RC_ASSERT(flits == framing.flits(bytes));
  // There are enough flits for the data, and none is unnecessary.
  const std::int64_t data_flits = flits - framing.packets(bytes);
  RC_ASSERT(data_flits * flit >= bytes);
  RC_ASSERT((data_flits - 1) * flit < bytes);
}

}  // namespace
}  // namespace coppice::fabric
