#include "fabric/flits/wire.h"

#include <vector>

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
    const TimedFlit flit = wire.take_flit();
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

// Flits of one packet in a row, a gap, another virtual channel, a packet of the same number: what comes out
// is what went in, whatever of it is kept together, looked at before it is taken and taken in parts.
TEST(Wire, KeepsWhatComesInARowAsItCame) {
  struct Sent {
    PacketId packet;
    std::uint32_t sequence;
    std::uint32_t tail;
    int vc;
    Cycles leaves;
  };
  const std::vector<Sent> sent{{7, 0, 0, 1, 0}, {7, 1, 0, 1, 1},  {7, 2, 0, 1, 2},  {7, 3, 1, 1, 4},
                               {7, 0, 1, 1, 5}, {7, 0, 0, 1, 6},  {7, 1, 1, 1, 7},  {8, 0, 0, 2, 8},
                               {9, 5, 0, 2, 9}, {8, 1, 0, 2, 10}, {8, 2, 0, 3, 11}, {8, 4, 0, 3, 12},
                               {8, 5, 1, 3, 13}};
  Wire wire(10, 12);
  ArrivalCalendar receiver;
  ArrivalCalendar sender;
  Cycles receiver_due = kNever;
  Cycles sender_due = kNever;
  wire.attach_receiver(receiver, 0, receiver_due);
  wire.attach_sender(sender, 1, sender_due);
  for (const Sent& flit : sent) {
    wire.send({flit.packet, flit.sequence & 0x7fffffffU, flit.tail & 1U}, flit.vc, flit.leaves);
    wire.return_credit(flit.vc, flit.leaves);
  }
  EXPECT_EQ(wire.flits_sent(), static_cast<std::int64_t>(sent.size()));
  const auto expect_flit = [&](std::size_t i, Flit flit, Stamp stamp) {
    EXPECT_EQ(flit.packet, sent[i].packet) << i;
    EXPECT_EQ(flit.sequence, sent[i].sequence) << i;
    EXPECT_EQ(flit.tail, sent[i].tail) << i;
    EXPECT_EQ(stamp.vc(), sent[i].vc) << i;
    EXPECT_EQ(stamp.at(), sent[i].leaves + 10) << i;
  };
  for (std::size_t taken = 0; taken < sent.size(); ++taken) {
    std::size_t seen = taken;
    wire.for_each_flit(kNever, [&](Flit flit, Stamp stamp) {
      expect_flit(seen++, flit, stamp);
      return true;
    });
    EXPECT_EQ(seen, sent.size());
    seen = taken;
    wire.for_each_credit(kNever, [&](Stamp credit) {
      EXPECT_EQ(credit.vc(), sent[seen].vc);
      EXPECT_EQ(credit.at(), sent[seen++].leaves + 12);
    });
    EXPECT_EQ(seen, sent.size());
    EXPECT_FALSE(wire.has_flit(sent[taken].leaves + 9));
    ASSERT_TRUE(wire.has_flit(sent[taken].leaves + 10));
    const TimedFlit flit = wire.take_flit();
    expect_flit(taken, flit.flit, flit.stamp);
    EXPECT_FALSE(wire.has_credit(sent[taken].leaves + 11));
    ASSERT_TRUE(wire.has_credit(sent[taken].leaves + 12));
    EXPECT_EQ(wire.take_credit(), sent[taken].vc);
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
