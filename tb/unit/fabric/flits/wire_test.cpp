#include "fabric/flits/wire.h"

#include <gtest/gtest.h>

namespace coppice::fabric {
namespace {

TEST(Wire, BringsFlitsAndCreditsInTheirOrderAndTime) {
  Wire wire(10, 12);
  ArrivalCalendar receiver;
  ArrivalCalendar sender;
  Cycles receiver_due = kNever;
  Cycles sender_due = kNever;
  wire.attach_receiver(receiver, 3, receiver_due);
  wire.attach_sender(sender, 4, sender_due);
  constexpr int kFlits = 40;
  for (int i = 0; i < kFlits; ++i) wire.send({static_cast<PacketId>(i), 0, 1}, i % 4, 2 * i);
  EXPECT_EQ(receiver_due, 10);
  EXPECT_EQ(sender_due, kNever);
  EXPECT_EQ(wire.flits_sent(), kFlits);
  for (int i = 0; i < kFlits; ++i) {
    EXPECT_FALSE(wire.has_flit(2 * i + 9));
    ASSERT_TRUE(wire.has_flit(2 * i + 10));
    const Wire::TimedFlit flit = wire.take_flit();
    EXPECT_EQ(flit.flit.packet, static_cast<PacketId>(i));
    EXPECT_EQ(flit.stamp.vc(), i % 4);
    EXPECT_EQ(flit.stamp.at(), 2 * i + 10);
    wire.return_credit(i % 4, 2 * i + 10);
  }
  EXPECT_EQ(sender_due, 22);
  EXPECT_FALSE(wire.has_credit(21));
  for (int i = 0; i < kFlits; ++i) {
    ASSERT_TRUE(wire.has_credit(2 * i + 22));
    EXPECT_EQ(wire.take_credit(), i % 4);
  }
  EXPECT_TRUE(wire.idle());
}

TEST(Wire, BetweenThreadsIsHandedOverBetweenQuanta) {
  Wire wire(10, 12);
  ArrivalCalendar receiver;
  ArrivalCalendar sender;
  Cycles receiver_due = kNever;
  Cycles sender_due = kNever;
  wire.attach_receiver(receiver, 3, receiver_due);
  wire.attach_sender(sender, 4, sender_due);
  wire.set_apart();
  wire.send({1, 0, 1}, 2, 5);
  wire.return_credit(3, 6);
  EXPECT_EQ(wire.flits_sent(), 1);
  EXPECT_EQ(receiver_due, kNever);
  EXPECT_EQ(sender_due, kNever);
  EXPECT_FALSE(wire.has_flit(15));
  EXPECT_FALSE(wire.has_credit(18));
  wire.hand_over();
  EXPECT_EQ(receiver_due, 15);
  EXPECT_EQ(sender_due, 18);
  EXPECT_FALSE(wire.has_flit(14));
  ASSERT_TRUE(wire.has_flit(15));
  EXPECT_EQ(wire.take_flit().stamp.vc(), 2);
  ASSERT_TRUE(wire.has_credit(18));
  EXPECT_EQ(wire.take_credit(), 3);
  wire.hand_over();
  EXPECT_TRUE(wire.idle());
}

}  // namespace
}  // namespace coppice::fabric
