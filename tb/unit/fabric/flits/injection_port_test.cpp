#include "fabric/flits/injection_port.h"

#include <gmock/gmock.h>

#include <deque>

namespace coppice::fabric {
namespace {

using ::testing::ElementsAre;

constexpr Femtoseconds kPeriod = kFemtosecondsPerNanosecond;

class ListInjector final : public Injector {
 public:
  Answer next_packet(Cycles, Packet& packet) override {
    ++asked;
    if (packets.empty()) return idle;
    packet = packets.front();
    packets.pop_front();
    return Answer::kPacket;
  }
  void packet_injected(const Packet& packet, Cycles now) override {
    left.push_back({packet.tag, packet.head_injected, now});
  }

  struct Left {
    std::uint64_t tag;
    Cycles head;
    Cycles tail;
    bool operator==(const Left&) const = default;
  };
  std::deque<Packet> packets;
  std::vector<Left> left;
  Answer idle = Answer::kSleep;
  int asked = 0;
};

class InjectionPortTest : public ::testing::Test {
 protected:
  static Packet packet_of(std::uint64_t tag, std::uint32_t flits, Femtoseconds flit_time = 0) {
    Packet packet;
    packet.tag = tag;
    packet.flits = flits;
    packet.flit_time = flit_time;
    return packet;
  }
  InjectionPort make_port(int vcs, int depth) {
    InjectionPort port(vcs, depth, kPeriod);
    port.connect(injector_);
    return port;
  }
  // Runs the port before cycle `end`. Returns the cycles in which flits left, with their virtual channels.
  std::vector<std::pair<Cycles, int>> run(InjectionPort& port, Cycles end) {
    std::vector<std::pair<Cycles, int>> sent;
    for (; now_ < end; ++now_) {
      outcome_ = port.step(now_, pool_);
      if (outcome_.sent) sent.emplace_back(now_, outcome_.vc);
    }
    return sent;
  }

  ListInjector injector_;
  PacketPool pool_;
  InjectionPort::Outcome outcome_;
  Cycles now_ = 0;
};

TEST_F(InjectionPortTest, SendsOneFlitPerCycleAndUsesTheVirtualChannelsInTurn) {
  InjectionPort port = make_port(3, 8);
  injector_.packets = {packet_of(1, 2), packet_of(2, 1), packet_of(3, 1), packet_of(4, 1)};
  const auto sent = run(port, 20);
  EXPECT_THAT(
      sent, ElementsAre(std::pair(0, 0), std::pair(1, 0), std::pair(2, 1), std::pair(3, 2), std::pair(4, 0)));
  EXPECT_THAT(injector_.left, ElementsAre(ListInjector::Left{1, 0, 1}, ListInjector::Left{2, 2, 2},
                                          ListInjector::Left{3, 3, 3}, ListInjector::Left{4, 4, 4}));
  EXPECT_EQ(port.credits(0), 5);
  EXPECT_EQ(port.credits(1), 7);
}

TEST_F(InjectionPortTest, NumbersFlitsAndMarksTheTail) {
  InjectionPort port = make_port(1, 8);
  injector_.packets = {packet_of(1, 3)};
  for (std::uint32_t i = 0; i < 3; ++i) {
    const auto outcome = port.step(i, pool_);
    EXPECT_EQ(outcome.flit.sequence, i);
    EXPECT_EQ(outcome.flit.is_head(), i == 0);
    EXPECT_EQ(outcome.flit.tail, i == 2 ? 1U : 0U);
  }
}

TEST_F(InjectionPortTest, WaitsForCreditsOfThePacketsVirtualChannel) {
  InjectionPort port = make_port(2, 2);
  injector_.packets = {packet_of(1, 3)};
  EXPECT_EQ(run(port, 10).size(), 2U);
  EXPECT_TRUE(port.busy());
  EXPECT_EQ(outcome_.next, InjectionPort::kAsleep);
  EXPECT_TRUE(port.receive_credit(1));  // for the other virtual channel
  EXPECT_EQ(run(port, 20).size(), 0U);
  port.receive_credit(0);
  EXPECT_THAT(run(port, 30), ElementsAre(std::pair(20, 0)));
  EXPECT_FALSE(port.busy());
  EXPECT_FALSE(port.receive_credit(0));  // the port does not wait for it
}

TEST_F(InjectionPortTest, SkipsAVirtualChannelWithoutCredits) {
  InjectionPort port = make_port(3, 1);
  injector_.packets = {packet_of(1, 1), packet_of(2, 1), packet_of(3, 1), packet_of(4, 1)};
  EXPECT_EQ(run(port, 10).size(), 3U);
  EXPECT_EQ(outcome_.next, InjectionPort::kAsleep);
  port.receive_credit(1);
  EXPECT_THAT(run(port, 20), ElementsAre(std::pair(10, 1)));
}

TEST_F(InjectionPortTest, SleepsOrAsksAgainAsRequested) {
  InjectionPort port = make_port(1, 1);
  run(port, 1);
  EXPECT_EQ(outcome_.next, InjectionPort::kAsleep);
  injector_.idle = Injector::Answer::kPollAgain;
  run(port, 2);
  EXPECT_EQ(outcome_.next, 2);
}

TEST_F(InjectionPortTest, SleepsThroughALongPause) {
  InjectionPort port = make_port(1, 100);
  injector_.packets = {packet_of(1, 3, kPeriod * 9)};
  const auto after = [&](Cycles cycle) { return port.step(cycle, pool_).next; };
  EXPECT_EQ(after(0), 9);
  port.receive_credit(0);
  EXPECT_EQ(after(2), 9);  // waking the port too early does not change its next send time
  EXPECT_EQ(after(9), 18);
}

TEST_F(InjectionPortTest, WakesForACreditOnlyIfItWaitsForOne) {
  InjectionPort port = make_port(1, 1);
  injector_.packets = {packet_of(1, 2)};
  port.step(0, pool_);
  EXPECT_FALSE(port.receive_credit(0));
  port.step(1, pool_);
  injector_.packets.push_back(packet_of(2, 1));
  port.step(2, pool_);
  EXPECT_TRUE(port.receive_credit(0));
}

// On a slow channel, flit i leaves i flit times after the first flit, rounded up to a cycle. The next message
// starts one flit time after the last flit, rounded up as well.
TEST_F(InjectionPortTest, HasThePaceOfAMessagesSlowestChannel) {
  InjectionPort port = make_port(1, 100);
  injector_.packets = {packet_of(1, 4, kPeriod * 5 / 2), packet_of(2, 2, 0)};
  std::vector<Cycles> cycles;
  for (const auto& [at, vc] : run(port, 40)) cycles.push_back(at);
  EXPECT_THAT(cycles, ElementsAre(0, 3, 5, 8, 11, 12));
}

// The channel's rate also applies between the packets of a message.
TEST_F(InjectionPortTest, KeepsThePaceAcrossThePacketsOfAMessage) {
  InjectionPort port = make_port(2, 100);
  Packet first = packet_of(1, 2, kPeriod * 3 / 2);
  first.last_of_message = false;
  Packet second = packet_of(1, 2, kPeriod * 3 / 2);
  second.first_of_message = false;
  injector_.packets = {first, second};
  EXPECT_THAT(run(port, 40), ElementsAre(std::pair(0, 0), std::pair(2, 0), std::pair(3, 1), std::pair(5, 1)));
}

}  // namespace
}  // namespace coppice::fabric
