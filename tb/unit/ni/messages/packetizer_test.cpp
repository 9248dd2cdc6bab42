#include "ni/messages/packetizer.h"

#include <gmock/gmock.h>

namespace coppice::ni {
namespace {

using ::testing::ElementsAre;
using Answer = fabric::Injector::Answer;

constexpr fabric::Framing kPackets{config::FlowControl::kPacket, 16, 64};
constexpr fabric::Framing kMessages{config::FlowControl::kMessage, 16, 64};

class PacketizerTest : public ::testing::Test {
 protected:
  Packetizer make(const fabric::Framing& framing) {
    Packetizer packetizer(framing);
    packetizer.on_head_injected = [this](std::uint64_t id, Cycles at) { heads_.emplace_back(id, at); };
    packetizer.on_tail_injected = [this](std::uint64_t id, Cycles at) { tails_.emplace_back(id, at); };
    return packetizer;
  }
  fabric::Message message(std::uint64_t id, Bytes bytes) const {
    fabric::Message result;
    result.id = id;
    result.src = 1;
    result.dst = 2;
    result.route = &route_;
    result.bytes = bytes;
    return result;
  }

  topology::Route route_{{0, {0, 1}}, {1, {0, 1}}};
  std::vector<std::pair<std::uint64_t, Cycles>> heads_;
  std::vector<std::pair<std::uint64_t, Cycles>> tails_;
  fabric::Packet packet_;
};

TEST_F(PacketizerTest, SleepsWithoutAMessage) {
  EXPECT_EQ(make(kPackets).next_packet(0, packet_), Answer::kSleep);
}

TEST_F(PacketizerTest, WaitsForMemory) {
  Packetizer packetizer = make(kPackets);
  packetizer.push(message(5, 64), 10);
  EXPECT_EQ(packetizer.next_packet(9, packet_), Answer::kSleep);
  EXPECT_EQ(packetizer.next_packet(10, packet_), Answer::kPacket);
  EXPECT_EQ(packet_.tag, 5U);
  EXPECT_EQ(packet_.src, 1);
  EXPECT_EQ(packet_.dst, 2);
  EXPECT_EQ(packet_.route, route_.data());
}

// The first message's data is ready in cycle 10, and the setup takes 5 cycles. The setup of the second
// message begins after the first message's tail.
TEST_F(PacketizerTest, SetsUpMessagesOneAfterAnother) {
  Packetizer packetizer(kPackets);
  packetizer.on_head_injected = [](std::uint64_t, Cycles) {};
  packetizer.on_tail_injected = [](std::uint64_t, Cycles) {};
  EXPECT_EQ(packetizer.front_ready(), -1);
  packetizer.push(message(1, 64), 10, 5);
  packetizer.push(message(2, 64), 11, 5);
  EXPECT_EQ(packetizer.next_packet(14, packet_), Answer::kSleep);
  ASSERT_EQ(packetizer.next_packet(15, packet_), Answer::kPacket);
  packetizer.packet_injected(packet_, 19);
  EXPECT_EQ(packetizer.front_ready(), 25);
  EXPECT_EQ(packetizer.next_packet(24, packet_), Answer::kSleep);
  EXPECT_EQ(packetizer.next_packet(25, packet_), Answer::kPacket);
  packetizer.packet_injected(packet_, 29);
  packetizer.push(message(3, 64), 100, 5);
  EXPECT_EQ(packetizer.next_message().ready, 105);
}

TEST_F(PacketizerTest, DividesAMessageIntoPackets) {
  Packetizer packetizer = make(kPackets);
  packetizer.push(message(5, 140), 0);
  std::vector<std::uint32_t> flits;
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(packetizer.next_packet(i, packet_), Answer::kPacket);
    flits.push_back(packet_.flits);
    EXPECT_EQ(packet_.first_of_message, i == 0);
    EXPECT_EQ(packet_.last_of_message, i == 2);
    packet_.head_injected = 100 * i;
    packetizer.packet_injected(packet_, 100 * i + 4);
  }
  EXPECT_THAT(flits, ElementsAre(5, 5, 2));
  EXPECT_THAT(heads_, ElementsAre(std::pair(5, 0)));
  EXPECT_THAT(tails_, ElementsAre(std::pair(5, 204)));
  EXPECT_EQ(packetizer.next_packet(300, packet_), Answer::kSleep);
}

TEST_F(PacketizerTest, SendsAMessageAsOnePacketUnderMessageBasedFlowControl) {
  Packetizer packetizer = make(kMessages);
  packetizer.push(message(5, 140), 0);
  ASSERT_EQ(packetizer.next_packet(0, packet_), Answer::kPacket);
  EXPECT_EQ(packet_.flits, 10U);
  EXPECT_TRUE(packet_.first_of_message && packet_.last_of_message);
}

TEST_F(PacketizerTest, HoldsTwoMessages) {
  Packetizer packetizer = make(kMessages);
  EXPECT_TRUE(packetizer.has_place(0));
  packetizer.push(message(5, 16), 0);
  EXPECT_TRUE(packetizer.has_place(0));
  packetizer.push(message(6, 16), 0);
  EXPECT_FALSE(packetizer.has_place(0));
  packetizer.next_packet(0, packet_);
  EXPECT_FALSE(packetizer.has_place(0));
}

// A queue slot becomes free in the cycle after its message's tail has left, regardless of whether the network
// interface or the injection channel is stepped first.
TEST_F(PacketizerTest, FreesASlotInTheCycleAfterTheTail) {
  for (const auto& leave : {+[](Packetizer&p, fabric::Packet&packet) { p.packet_injected(packet, 9); },
                            +[](Packetizer&p, fabric::Packet&) { p.message_injected(5, 9); }}) {
    Packetizer packetizer = make(kMessages);
    packetizer.push(message(5, 16), 0);
    packetizer.push(message(6, 16), 0);
    packetizer.next_packet(8, packet_);
    leave(packetizer, packet_);
    EXPECT_FALSE(packetizer.has_place(9));
    EXPECT_TRUE(packetizer.has_place(10));
  }
}

}  // namespace
}  // namespace coppice::ni
