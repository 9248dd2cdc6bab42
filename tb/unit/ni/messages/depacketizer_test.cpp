#include "ni/messages/depacketizer.h"

#include <gmock/gmock.h>

namespace coppice::ni {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Depacketizer, ReportsAMessageOnceAllItsPacketsHaveArrived) {
  std::vector<std::pair<std::uint64_t, Cycles>> messages;
  Depacketizer depacketizer(
      [](std::uint64_t message) {
        return Depacketizer::Size{message == 1 ? 3 : 1, 10};
      },
      [&](std::uint64_t message, Cycles now) { messages.emplace_back(message, now); });
  const auto eject = [&](std::uint64_t message, Cycles now) {
    fabric::Packet packet;
    packet.tag = message;
    depacketizer.packet_ejected(packet, now);
  };
  eject(1, 10);
  eject(1, 20);
  EXPECT_THAT(messages, IsEmpty());
  EXPECT_EQ(depacketizer.incomplete(), 1U);
  eject(2, 25);  // a flit of another message in between
  eject(1, 30);
  EXPECT_THAT(messages, ElementsAre(std::pair(2, 25), std::pair(1, 30)));
  EXPECT_EQ(depacketizer.incomplete(), 0U);
  eject(1, 40);  // the ID of a completed message may be reused
  EXPECT_EQ(depacketizer.incomplete(), 1U);
}

}  // namespace
}  // namespace coppice::ni
