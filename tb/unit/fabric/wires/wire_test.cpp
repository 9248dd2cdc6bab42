#include "fabric/wires/wire.h"

#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace coppice::fabric {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Wire, DeliversFlitsAndCreditsInOrderAndOnTime) {
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
    const TimedFlit flit = wire.pop_flit();
    EXPECT_EQ(flit.flit.packet, static_cast<PacketId>(i));
    EXPECT_EQ(flit.stamp.vc(), i % 4);
    EXPECT_EQ(flit.stamp.at(), 2 * i + 10);
    wire.return_credit(i % 4, 2 * i + 10);
  }
  EXPECT_EQ(sender_due, 22);
  EXPECT_FALSE(wire.has_credit(21));
  for (int i = 0; i < kFlits; ++i) {
    ASSERT_TRUE(wire.has_credit(2 * i + 22));
    EXPECT_EQ(wire.pop_credit(), i % 4);
  }
  EXPECT_TRUE(wire.idle());
}

// Sends consecutive flits of one packet, a gap, another virtual channel and a reused packet number. However
// the wire stores flits, they leave in their original order, even after peeking and partial removal.
TEST(Wire, KeepsConsecutiveFlitsInOrder) {
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
    const TimedFlit flit = wire.pop_flit();
    expect_flit(taken, flit.flit, flit.stamp);
    EXPECT_FALSE(wire.has_credit(sent[taken].leaves + 11));
    ASSERT_TRUE(wire.has_credit(sent[taken].leaves + 12));
    EXPECT_EQ(wire.pop_credit(), sent[taken].vc);
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
  EXPECT_EQ(wire.pop_flit().stamp.vc(), 2);
  ASSERT_TRUE(wire.has_credit(18));
  EXPECT_EQ(wire.pop_credit(), 3);
  wire.hand_over();
  EXPECT_TRUE(wire.idle());
}

// A wire with a short delay: the receivers' calendars hold its flits and credits.
struct ShortWire {
  ShortWire() {
    receiver.set_lines(8);
    receiver.set_columns(3);
    wire.attach_receiver(receiver, 5, receiver_due, 1);
    sender.set_lines(16);
    wire.attach_sender(sender, 9, sender_due, true);
  }
  std::vector<std::string> flits(Cycles end) const {
    std::vector<std::string> found;
    wire.for_each_flit(end, [&](Flit flit, Stamp stamp) {
      found.push_back(fmt::format("{}:{}.{}", stamp.at(), flit.packet, stamp.vc()));
      return true;
    });
    return found;
  }
  std::vector<std::string> credits(Cycles end) const {
    std::vector<std::string> found;
    wire.for_each_credit(end,
                         [&](Stamp stamp) { found.push_back(fmt::format("{}.{}", stamp.at(), stamp.vc())); });
    return found;
  }
  Wire wire{2, 3, 4};
  ArrivalCalendar receiver;
  ArrivalCalendar sender;
  Cycles receiver_due = kNever;
  Cycles sender_due = kNever;
};

TEST(ShortWire, KeepsFlitsInFlightInTheCalendars) {
  ShortWire under;
  Wire& wire = under.wire;
  wire.send({7, 0, 0}, 1, 4);
  wire.send({7, 1, 1}, 1, 6);
  wire.send({8, 0, 1}, 3, 40);  // arrives beyond the calendar's initial capacity
  wire.return_credit(2, 5);
  wire.return_credit(0, 6);
  EXPECT_EQ(under.receiver_due, 6);
  EXPECT_EQ(under.sender_due, 8);
  EXPECT_THAT(under.flits(kNever), ElementsAre("6:7.1", "8:7.1", "42:8.3"));
  EXPECT_THAT(under.flits(8), ElementsAre("6:7.1"));
  EXPECT_THAT(under.credits(kNever), ElementsAre("8.2", "9.0"));
  EXPECT_FALSE(wire.has_flit(100));  // the flits are in the calendars, not in the wire
  EXPECT_FALSE(wire.has_credit(100));

  EXPECT_EQ(under.receiver.take(6), 1U << 5U);
  EXPECT_EQ(ArrivingFlits::flit_of(under.receiver.flit(6, 1)).packet, 7U);
  EXPECT_EQ(under.receiver.flit(6, 1).vc, 1);
  EXPECT_EQ(under.sender.take(8), 1U << (9U + 2U));
  EXPECT_THAT(under.flits(kNever), ElementsAre("8:7.1", "42:8.3"));
  EXPECT_THAT(under.credits(kNever), ElementsAre("9.0"));
  EXPECT_FALSE(wire.idle());
  EXPECT_EQ(under.receiver.take(8), 1U << 5U);
  EXPECT_EQ(under.sender.take(9), 1U << 9U);
  EXPECT_FALSE(wire.idle());
  EXPECT_EQ(under.receiver.take(42), 1U << 5U);
  EXPECT_TRUE(wire.idle());
}

TEST(ShortWire, MovesWithItsCalendars) {
  ShortWire under;
  under.wire.send({7, 0, 0}, 1, 4);
  under.wire.send({7, 1, 1}, 1, 6);
  under.receiver.shift(1001);
  EXPECT_EQ(under.receiver.take(1007), 1U << 5U);
  EXPECT_EQ(ArrivingFlits::flit_of(under.receiver.flit(1007, 1)).sequence, 0U);
  EXPECT_EQ(under.receiver.take(1009), 1U << 5U);
  EXPECT_EQ(ArrivingFlits::flit_of(under.receiver.flit(1009, 1)).sequence, 1U);
}

TEST(ShortWire, KeepsFlitsThatItsCalendarWouldSkip) {
  ShortWire under;
  Wire& wire = under.wire;
  wire.send({7, 0, 0}, 1, 4);
  wire.send({7, 1, 0}, 1, 5);
  wire.send({7, 2, 1}, 1, 6);
  wire.fetch_flits(8);
  under.receiver.skip(8);
  ASSERT_TRUE(wire.has_flit(7));
  EXPECT_EQ(wire.pop_flit().stamp.at(), 6);
  EXPECT_EQ(wire.pop_flit().flit.sequence, 1U);
  EXPECT_FALSE(wire.has_flit(7));
  EXPECT_THAT(under.flits(kNever), ElementsAre("8:7.1"));
}

TEST(ShortWire, BetweenThreadsIsHandedOverBetweenQuanta) {
  ShortWire under;
  under.wire.set_apart();
  under.wire.send({1, 0, 1}, 2, 5);
  under.wire.return_credit(3, 6);
  EXPECT_TRUE(under.flits(kNever).empty());
  EXPECT_EQ(under.receiver_due, kNever);
  under.wire.hand_over();
  EXPECT_EQ(under.receiver_due, 7);
  EXPECT_EQ(under.sender_due, 9);
  EXPECT_THAT(under.flits(kNever), ElementsAre("7:1.2"));
  EXPECT_THAT(under.credits(kNever), ElementsAre("9.3"));
}

// A short wire carries at most one flit per cycle, and at most one credit per virtual channel per cycle.
TEST(ShortWire, RejectsTwoFlitsInACycle) {
  const auto message_of = [](const auto& send) -> std::string {
    try {
      send();
    } catch (const ModelError& error) {
      return error.what();
    }
    return "nothing was refused";
  };
  ShortWire under;
  under.wire.send({1, 0, 1}, 2, 5);
  EXPECT_THAT(message_of([&] {
                under.wire.send({9, 0, 1}, 0, 5);
              }),
              HasSubstr("two flits in cycle 7, the second on virtual channel 0 (packet 9)"));
  under.wire.return_credit(3, 6);
  under.wire.return_credit(1, 6);
  EXPECT_THAT(message_of([&] { under.wire.return_credit(3, 6); }),
              HasSubstr("two credits of virtual channel 3 in cycle 9"));
}

}  // namespace
}  // namespace coppice::fabric
