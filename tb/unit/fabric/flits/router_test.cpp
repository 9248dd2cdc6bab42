#include "fabric/flits/router.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <deque>
#include <numeric>
#include <tuple>

#include "fake_environment.h"

namespace coppice::fabric {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using topology::Hop;

Hop to_port(int out_port, int first_vc = 0, int end_vc = 1) {
  return {static_cast<std::uint16_t>(out_port),
          {static_cast<std::uint8_t>(first_vc), static_cast<std::uint8_t>(end_vc)}};
}

std::vector<Cycles> send_cycles(const RouterBench& bench) {
  std::vector<Cycles> cycles;
  for (const auto& sent : bench.sent()) cycles.push_back(sent.at);
  return cycles;
}

class RouterPipeline : public ::testing::TestWithParam<std::tuple<int, int>> {};

// A head takes additional cycles for routing and VC allocation; body flits follow at one per cycle.
TEST_P(RouterPipeline, DelaysHeadsByRoutingAndVcAllocation) {
  const auto [routing_delay, vc_alloc_delay] = GetParam();
  config::RouterConfig config = router_config(2, 16);
  config.routing_delay = routing_delay;
  config.vc_alloc_delay = vc_alloc_delay;
  RouterBench bench(3, config);
  bench.environment.now = 10;
  bench.receive_packet(0, 1, 5, 3, to_port(2, 0, 2));
  bench.run_until(40);
  const Cycles head = 10 + routing_delay + vc_alloc_delay;
  EXPECT_THAT(send_cycles(bench), ElementsAre(head, head + 1, head + 2));
  for (const auto& sent : bench.sent()) EXPECT_EQ(sent.out_port, 2);
  EXPECT_EQ(bench.environment.freed.size(), 3U);
  EXPECT_EQ(bench.environment.freed[0].at, head);
}

// The head behind a packet starts in the cycle after that packet's tail has left the buffer.
TEST_P(RouterPipeline, StartsTheNextHeadAfterTheTail) {
  const auto [routing_delay, vc_alloc_delay] = GetParam();
  config::RouterConfig config = router_config(2, 16);
  config.routing_delay = routing_delay;
  config.vc_alloc_delay = vc_alloc_delay;
  RouterBench bench(3, config);
  bench.receive_packet(0, 1, 5, 2, to_port(2, 0, 2));
  bench.receive_packet(0, 1, 6, 1, to_port(2, 0, 2));
  bench.run_until(60);
  const Cycles head = routing_delay + vc_alloc_delay;
  EXPECT_THAT(send_cycles(bench), ElementsAre(head, head + 1, head + 1 + 1 + routing_delay + vc_alloc_delay));
}

INSTANTIATE_TEST_SUITE_P(Delays, RouterPipeline,
                         ::testing::Combine(::testing::Values(0, 1, 2, 5), ::testing::Values(1, 2, 7)));

TEST(Router, SleepsIfNothingIsLeft) {
  RouterBench bench(2, router_config(1, 4));
  EXPECT_FALSE(bench.run_until(1));
  bench.receive_packet(0, 0, 1, 1, to_port(1));
  EXPECT_TRUE(bench.run_until(3));
  EXPECT_FALSE(bench.run_until(4));
  EXPECT_EQ(bench.sent().size(), 1U);
}

TEST(Router, SharesAnOutputAmongInputsInTurn) {
  RouterBench bench(5, router_config(4, 30));
  for (int port = 0; port < 4; ++port) {
    bench.receive_packet(port, 0, static_cast<PacketId>(port), 6, to_port(4, port, port + 1));
  }
  bench.run_until(30);
  const auto& sent = bench.sent();
  ASSERT_EQ(sent.size(), 24U);
  // Among any four consecutive grants, each input occurs once; one flit leaves per cycle.
  for (std::size_t i = 0; i + 4 <= sent.size(); ++i) {
    std::vector<PacketId> window;
    for (std::size_t k = i; k < i + 4; ++k) window.push_back(sent[k].flit.packet);
    EXPECT_THAT(window, ::testing::UnorderedElementsAre(0, 1, 2, 3)) << "from flit " << i;
    EXPECT_EQ(sent[i].at, sent[0].at + static_cast<Cycles>(i));
  }
}

TEST(Router, ServesTheOldestPacketFirst) {
  config::RouterConfig config = router_config(4, 30);
  config.arbitration = config::Arbitration::kAge;
  RouterBench bench(5, config);
  const std::vector<Cycles> created{30, 10, 40, 20};
  for (int port = 0; port < 4; ++port) {
    const auto packet = static_cast<PacketId>(port);
    bench.environment.created[packet] = created[static_cast<std::size_t>(port)];
    bench.receive_packet(port, 0, packet, 6, to_port(4, port, port + 1));
  }
  bench.run_until(30);
  const auto& sent = bench.sent();
  ASSERT_EQ(sent.size(), 24U);
  const std::vector<PacketId> order{1, 3, 0, 2};
  for (std::size_t i = 0; i < sent.size(); ++i) EXPECT_EQ(sent[i].flit.packet, order[i / 6]) << i;
}

TEST(Router, GrantsTheVirtualChannelToTheOldestPacket) {
  config::RouterConfig config = router_config(1, 8);
  config.arbitration = config::Arbitration::kAge;
  RouterBench bench(4, config);
  const std::vector<Cycles> created{3, 2, 1};
  for (int port = 0; port < 3; ++port) {
    const auto packet = static_cast<PacketId>(port);
    bench.environment.created[packet] = created[static_cast<std::size_t>(port)];
    bench.receive_packet(port, 0, packet, 1, to_port(3));
  }
  bench.run_until(30);
  ASSERT_EQ(bench.sent().size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(bench.sent()[i].flit.packet, 2 - i);
}

// Between two adaptive hops, the router chooses the one with more free buffer space. If neither has room for
// the whole packet, it uses the deterministic hop.
TEST(Router, ChoosesAHopByTheWaitingFlits) {
  RouterBench bench(4, router_config(2, 4));
  bench.environment.packet_flits = 3;
  const auto send = [&](PacketId packet) {
    bench.environment.adaptive[packet] = {to_port(1, 1, 2), to_port(2, 1, 2)};
    bench.receive_packet(0, 0, packet, 3, to_port(3, 0, 1));
    bench.run_until(bench.environment.now + 12);
  };
  send(1);
  EXPECT_EQ(bench.sent().back().out_port, 1);  // the first of two equally good hops
  send(2);
  EXPECT_EQ(bench.sent().back().out_port, 2);  // output 1 has only one free slot, but the packet needs three
  EXPECT_TRUE(bench.environment.left_adaptive.empty());
  send(3);
  EXPECT_EQ(bench.sent().back().out_port, 3);
  EXPECT_THAT(bench.environment.left_adaptive, ElementsAre(3));
  bench.router.receive_credit(1, 1);
  bench.router.receive_credit(1, 1);
  send(4);
  EXPECT_EQ(bench.sent().back().out_port, 1);
}

TEST(Router, SharesAnInputAmongItsVirtualChannelsInTurn) {
  RouterBench bench(2, router_config(3, 10));
  for (int vc = 0; vc < 3; ++vc) {
    bench.receive_packet(0, vc, static_cast<PacketId>(vc), 5, to_port(1, vc, vc + 1));
  }
  bench.run_until(30);
  const auto& sent = bench.sent();
  ASSERT_EQ(sent.size(), 15U);
  for (std::size_t i = 0; i < sent.size(); ++i) EXPECT_EQ(sent[i].flit.packet, i % 3);
}

TEST(Router, SendsThroughAllOutputsInOneCycle) {
  RouterBench bench(4, router_config(1, 8));
  for (int port = 0; port < 4; ++port) {
    bench.receive_packet(port, 0, static_cast<PacketId>(port), 8, to_port((port + 1) % 4));
  }
  bench.run_until(10);
  EXPECT_EQ(bench.sent().size(), 32U);  // 2 cycles of allocation, then 8 cycles with 4 flits each
}

// Packets in four buffers request the same output virtual channel, which is granted in round-robin order.
TEST(Router, GrantsAContestedVirtualChannelInTurn) {
  RouterBench bench(5, router_config(1, 8));
  for (int round = 0; round < 2; ++round) {
    for (int port = 0; port < 4; ++port) {
      bench.receive_packet(port, 0, static_cast<PacketId>(4 * round + port), 2, to_port(4));
    }
  }
  for (Cycles at = 0; at < 80; ++at) {
    const std::size_t before = bench.sent().size();
    bench.run_until(at + 1);
    if (bench.sent().size() > before) bench.router.receive_credit(4, 0);
  }
  std::vector<PacketId> order;
  for (const auto& sent : bench.sent()) {
    if (sent.flit.is_head()) order.push_back(sent.flit.packet);
  }
  EXPECT_THAT(order, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
}

// Two heads contend for output 3; in the same cycle, a third head requests output 4 and must not wait.
TEST(Router, GrantsARequestedOutputBesideAContestedOne) {
  RouterBench bench(5, router_config(1, 8));
  bench.receive_packet(0, 0, 0, 1, to_port(3));
  bench.receive_packet(1, 0, 1, 1, to_port(3));
  bench.receive_packet(2, 0, 2, 1, to_port(4));
  bench.run_until(10);
  const auto& sent = bench.sent();
  EXPECT_THAT(send_cycles(bench), ElementsAre(2, 2, 4));
  ASSERT_EQ(sent.size(), 3U);
  EXPECT_EQ(sent[0].flit.packet, 0U);
  EXPECT_EQ(sent[1].flit.packet, 2U);
  EXPECT_EQ(sent[2].flit.packet, 1U);
}

// A virtual channel is available to the next packet as soon as the tail has left, even before all credits
// have returned, because the downstream buffer may hold flits of two packets.
TEST(Router, ReusesAVirtualChannelTheCycleAfterTheTail) {
  RouterBench bench(3, router_config(1, 8));
  bench.receive_packet(0, 0, 1, 3, to_port(2));
  bench.receive_packet(1, 0, 2, 3, to_port(2));
  bench.run_until(20);
  // All heads request the output VC in cycle 1. The first packet is sent from cycle 2; its tail leaves in
  // cycle 4, so the next packet gets the VC in cycle 5.
  EXPECT_THAT(send_cycles(bench), ElementsAre(2, 3, 4, 6, 7, 8));
  EXPECT_FALSE(bench.router.output_vc_busy(2, 0));
  EXPECT_EQ(bench.router.credits(2, 0), 2);
}

TEST(Router, WaitsForCredits) {
  RouterBench bench(2, router_config(1, 2));
  bench.receive_packet(0, 0, 1, 2, to_port(1));
  EXPECT_FALSE(bench.run_until(10));  // both flits have been sent and no credits remain
  EXPECT_EQ(bench.sent().size(), 2U);
  EXPECT_EQ(bench.router.credits(1, 0), 0);
  bench.receive_packet(0, 0, 2, 2, to_port(1));
  EXPECT_FALSE(bench.run_until(20));  // the router sleeps although the packet still holds the virtual channel
  EXPECT_EQ(bench.sent().size(), 2U);
  EXPECT_EQ(bench.router.held_output_port(0, 0), 1);
  EXPECT_EQ(bench.router.held_output_vc(0, 0), 0);
  EXPECT_EQ(bench.router.buffered(0, 0), 2);
  EXPECT_EQ(bench.router.front(0, 0).packet, 2U);
  bench.router.receive_credit(1, 0);
  EXPECT_FALSE(bench.run_until(21));
  ASSERT_EQ(bench.sent().size(), 3U);
  EXPECT_EQ(bench.sent().back().at, 20);
  bench.router.receive_credit(1, 0);
  bench.router.receive_credit(1, 0);
  bench.run_until(22);
  EXPECT_EQ(bench.sent().size(), 4U);
  EXPECT_EQ(bench.router.credits(1, 0), 1);
}

// No request is lost if there are more requests than virtual channels.
TEST(Router, WakesHeadsThatFoundNoVirtualChannel) {
  RouterBench bench(3, router_config(2, 8));
  for (int vc = 0; vc < 2; ++vc) {
    bench.receive_packet(0, vc, static_cast<PacketId>(vc), 4, to_port(2, 0, 2));
    bench.receive_packet(1, vc, static_cast<PacketId>(2 + vc), 4, to_port(2, 0, 2));
  }
  EXPECT_FALSE(bench.run_until(40));
  EXPECT_EQ(bench.sent().size(), 16U);
}

// --- channels slower than a flit per cycle ---------------------------------------------------------------

class SlowChannel : public ::testing::TestWithParam<Femtoseconds> {};

// However long the packet, flits leave at the channel's exact rate: each within one cycle of its ideal time.
TEST_P(SlowChannel, HasItsExactRate) {
  const Femtoseconds flit_time = GetParam();
  constexpr int kFlits = 1000;
  RouterBench bench(2, router_config(1, kFlits), {{0}, {flit_time}});
  bench.environment.now = 3;
  bench.receive_packet(0, 0, 1, kFlits, to_port(1));
  EXPECT_FALSE(bench.run_until(8 * kFlits));
  const auto at = send_cycles(bench);
  ASSERT_EQ(at.size(), std::size_t{kFlits});
  EXPECT_EQ(at.front(), 5);
  for (std::size_t i = 0; i < at.size(); ++i) {
    const auto exact = static_cast<double>(i) * static_cast<double>(flit_time) / RouterBench::kPeriod;
    const auto taken = static_cast<double>(at[i] - at.front());
    EXPECT_LT(std::abs(taken - exact), 1.0) << "flit " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(FlitTimes, SlowChannel,
                         ::testing::Values(RouterBench::kPeriod + 1, RouterBench::kPeriod * 5 / 4,
                                           RouterBench::kPeriod * 3 / 2, RouterBench::kPeriod * 2,
                                           RouterBench::kPeriod * 7 / 3, RouterBench::kPeriod * 4));

// A channel cannot save up idle time: after a pause, its next flits are still a full flit time apart.
TEST(Router, DoesNotCatchUpAfterAPause) {
  RouterBench bench(2, router_config(1, 64), {{0}, {2 * RouterBench::kPeriod}});
  bench.receive_packet(0, 0, 1, 3, to_port(1));
  bench.run_until(100);
  bench.receive_packet(0, 0, 2, 3, to_port(1));
  bench.run_until(200);
  EXPECT_THAT(send_cycles(bench), ElementsAre(2, 4, 6, 102, 104, 106));
}

// --- invariants under random traffic ---------------------------------------------------------------------

struct Offered {
  Cycles at;
  int in_port;
  int vc;
  int flits;
  Hop hop;
};

struct Traffic {
  int ports;
  config::RouterConfig config;
  std::vector<OutputRate> rates;
  std::vector<Offered> packets;  // the index is the packet's ID
};

Traffic random_traffic() {
  Traffic traffic;
  traffic.ports = *rc::gen::inRange(2, 7);
  traffic.config = router_config(*rc::gen::inRange(1, 5), *rc::gen::inRange(1, 7));
  traffic.config.routing_delay = *rc::gen::inRange(0, 4);
  traffic.config.vc_alloc_delay = *rc::gen::inRange(1, 4);
  for (int port = 0; port < traffic.ports; ++port) {
    const Femtoseconds flit_time = *rc::gen::element<Femtoseconds>(0, 0, 1'500'000, 2'000'000);
    traffic.rates.push_back({flit_time});
  }
  const int count = *rc::gen::inRange(1, 40);
  for (int i = 0; i < count; ++i) {
    const int first = *rc::gen::inRange(0, traffic.config.vcs);
    const int end = *rc::gen::inRange(first + 1, traffic.config.vcs + 1);
    traffic.packets.push_back({*rc::gen::inRange<Cycles>(0, 60), *rc::gen::inRange(0, traffic.ports),
                               *rc::gen::inRange(0, traffic.config.vcs), *rc::gen::inRange(1, 9),
                               to_port(*rc::gen::inRange(0, traffic.ports), first, end)});
  }
  std::stable_sort(traffic.packets.begin(), traffic.packets.end(),
                   [](const Offered& a, const Offered& b) { return a.at < b.at; });
  return traffic;
}

// Feeds the router as its neighbours would, with at most one flit per input port per cycle and only into free
// buffer slots. Returns credits three cycles after flits leave.
class Feeder {
 public:
  explicit Feeder(const Traffic& traffic)
      : bench_(traffic.ports, traffic.config, traffic.rates), traffic_(traffic) {
    const std::size_t buffers = static_cast<std::size_t>(traffic.ports * traffic.config.vcs);
    waiting_.resize(buffers);
    places_.assign(buffers, traffic.config.vc_depth);
    for (std::size_t k = 0; k < traffic.packets.size(); ++k) {
      const Offered& packet = traffic.packets[k];
      bench_.environment.hops[static_cast<PacketId>(k)] = packet.hop;
      for (int i = 0; i < packet.flits; ++i) {
        waiting_[buffer(packet.in_port, packet.vc)].push_back(
            {packet.at, RouterBench::flit(static_cast<PacketId>(k), i, packet.flits)});
      }
      flits_ += packet.flits;
    }
  }

  bool run(Cycles limit) {
    bool awake = false;
    std::size_t credited = 0;
    for (Cycles now = 0; now < limit; ++now) {
      bool fed = false;
      for (int port = 0; port < traffic_.ports; ++port) fed = feed(port, now) || fed;
      const auto& sent = bench_.sent();
      for (; credited < sent.size() && sent[credited].at + 3 <= now; ++credited) {
        bench_.router.receive_credit(sent[credited].out_port, sent[credited].vc);
        fed = true;
      }
      const std::size_t freed = bench_.environment.freed.size();
      // The router is stepped only if it asked to be or an event occurred; otherwise, it must be able to
      // sleep.
      if (awake || fed) {
        bench_.environment.now = now;
        awake = bench_.router.step(now);
      }
      for (std::size_t i = freed; i < bench_.environment.freed.size(); ++i) {
        ++places_[buffer(bench_.environment.freed[i].in_port, bench_.environment.freed[i].vc)];
      }
      if (credited == static_cast<std::size_t>(flits_) && !awake) return true;
    }
    return false;
  }

  const RouterBench& bench() const { return bench_; }
  int flits() const { return flits_; }

 private:
  struct Waiting {
    Cycles at;
    Flit flit;
  };
  std::size_t buffer(int port, int vc) const {
    return static_cast<std::size_t>(port * traffic_.config.vcs + vc);
  }
  bool feed(int port, Cycles now) {
    for (int vc = 0; vc < traffic_.config.vcs; ++vc) {
      auto& queue = waiting_[buffer(port, vc)];
      if (queue.empty() || queue.front().at > now || places_[buffer(port, vc)] == 0) continue;
      bench_.router.receive_flit(port, vc, queue.front().flit, now);
      --places_[buffer(port, vc)];
      queue.pop_front();
      return true;
    }
    return false;
  }

  RouterBench bench_;
  const Traffic& traffic_;
  std::vector<std::deque<Waiting>> waiting_;
  std::vector<int> places_;
  int flits_ = 0;
};

RC_GTEST_PROP(Router, LosesAndMixesNoFlits, ()) {
  const Traffic traffic = random_traffic();
  Feeder feeder(traffic);
  RC_ASSERT(feeder.run(20'000));
  const auto& sent = feeder.bench().sent();
  RC_ASSERT(sent.size() == static_cast<std::size_t>(feeder.flits()));
  RC_ASSERT(feeder.bench().environment.freed.size() == sent.size());

  std::map<std::pair<int, int>, std::pair<PacketId, std::uint32_t>> open;  // output VC -> packet, next flit
  std::map<std::pair<Cycles, int>, int> out_of_port;
  std::map<std::pair<Cycles, int>, int> out_of_input;
  for (const auto& flit : sent) {
    const Offered& packet = traffic.packets[flit.flit.packet];
    RC_ASSERT(flit.out_port == packet.hop.out_port);
    RC_ASSERT(flit.vc >= packet.hop.vcs.begin && flit.vc < packet.hop.vcs.end);
    const auto key = std::pair{flit.out_port, flit.vc};
    if (flit.flit.is_head()) {
      RC_ASSERT(!open.contains(key));
      open[key] = {flit.flit.packet, 0};
    }
    // Wormhole switching: between head and tail, a virtual channel carries flits of one packet, in order.
    RC_ASSERT(open.contains(key));
    RC_ASSERT(open[key].first == flit.flit.packet);
    RC_ASSERT(open[key].second++ == flit.flit.sequence);
    if (flit.flit.tail != 0) {
      RC_ASSERT(static_cast<int>(flit.flit.sequence) + 1 == packet.flits);
      open.erase(key);
    }
    RC_ASSERT(++out_of_port[std::pair(flit.at, flit.out_port)] == 1);
    RC_ASSERT(++out_of_input[std::pair(flit.at, packet.in_port)] == 1);
  }
  RC_ASSERT(open.empty());
  for (int port = 0; port < traffic.ports; ++port) {
    for (int vc = 0; vc < traffic.config.vcs; ++vc) {
      RC_ASSERT(feeder.bench().router.credits(port, vc) == traffic.config.vc_depth);
      RC_ASSERT(feeder.bench().router.buffered(port, vc) == 0);
      RC_ASSERT(!feeder.bench().router.output_vc_busy(port, vc));
    }
  }
}

// Adding idle ports must not change what the router sends. The larger router has more virtual channels than a
// word has bits, so its allocation uses several words.
RC_GTEST_PROP(Router, AllocatesTheSameInManyWordsAsInOne, ()) {
  const Traffic traffic = random_traffic();
  Traffic larger = traffic;
  larger.ports = 64 / traffic.config.vcs + 1;
  larger.rates.resize(static_cast<std::size_t>(larger.ports));
  Feeder small(traffic);
  Feeder large(larger);
  RC_ASSERT(small.run(20'000));
  RC_ASSERT(large.run(20'000));
  const auto& sent = small.bench().sent();
  const auto& sent_by_large = large.bench().sent();
  RC_ASSERT(sent.size() == sent_by_large.size());
  const auto event = [](const FakeEnvironment::Sent& flit) {
    return std::tuple(flit.at, flit.out_port, flit.vc, flit.flit.packet, std::uint32_t{flit.flit.sequence});
  };
  for (std::size_t i = 0; i < sent.size(); ++i) RC_ASSERT(event(sent[i]) == event(sent_by_large[i]));
}

// When two to five saturated inputs share one output, the numbers of packets served never differ by more than
// two.
RC_GTEST_PROP(Router, IsFairToSaturatedInputs, ()) {
  const int inputs = *rc::gen::inRange(2, 6);
  const int vcs = *rc::gen::inRange(1, 5);
  const int flits = *rc::gen::inRange(1, 5);
  constexpr int kPackets = 20;
  RouterBench bench(inputs + 1, router_config(vcs, 128));
  for (int port = 0; port < inputs; ++port) {
    for (int k = 0; k < kPackets; ++k) {
      bench.receive_packet(port, 0, static_cast<PacketId>(port * kPackets + k), flits,
                           to_port(inputs, 0, vcs));
    }
  }
  std::vector<int> packets(static_cast<std::size_t>(inputs), 0);
  std::size_t seen = 0;
  while (std::ranges::all_of(packets, [](int count) { return count < kPackets; })) {
    bench.run_until(bench.environment.now + 1);
    RC_ASSERT(bench.environment.now < 10'000);
    for (; seen < bench.sent().size(); ++seen) {
      const auto& flit = bench.sent()[seen];
      bench.router.receive_credit(flit.out_port, flit.vc);
      if (flit.flit.tail == 0) continue;
      ++packets[flit.flit.packet / kPackets];
    }
    const auto [least, most] = std::ranges::minmax(packets);
    RC_ASSERT(most - least <= 2);
  }
}

}  // namespace
}  // namespace coppice::fabric
