#include "fabric/flits/leaper.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include "message_bench.h"

namespace coppice::fabric {
namespace {

TEST(Leaper, LeapsOverTheMiddleOfALongMessage) {
  const std::vector<Sent> sent{{5, 0, 2, 0, 1, 1'000'000, 0}};
  EXPECT_EQ(compare(torus({4}), system_config(), 1, sent, {}, {.leapt = 999'000}), "");
  EXPECT_EQ(compare(torus({4}), system_config(), 1, sent, {.ahead = true}, {.leapt = 999'000}), "");
}

TEST(Leaper, LeapsIfMessagesContend) {
  // Three messages to one node, and a fourth message that starts while they are in flight.
  const std::vector<Sent> sent{{5, 0, 2, 0, 1, 90'000, 0},
                               {6, 1, 2, 0, 1, 80'000, 0},
                               {7, 3, 2, 0, 1, 70'000, 0},
                               {50'000, 2, 1, 0, 1, 60'000, 0}};
  EXPECT_EQ(compare(torus({4}), system_config(), 1, sent, {}, {.leapt = 150'000}), "");
}

TEST(Leaper, LeapsOverPacketsOfAMessage) {
  const std::vector<Sent> sent{{5, 0, 2, 0, 5000, 17, 0}, {6, 1, 2, 0, 5000, 17, 0}};
  EXPECT_EQ(compare(torus({4}), system_config(), 1, sent, {}, {.leapt = 100'000}), "");
}

TEST(Leaper, NotifiesObserversAndReceiversOfEveryFlit) {
  const std::vector<Sent> sent{
      {5, 0, 2, 0, 1, 20'000, 0}, {6, 1, 2, 0, 700, 17, 0}, {7, 3, 2, 0, 1, 20'000, 0}};
  EXPECT_EQ(compare(mesh({4}), system_config(), 1, sent, {.observed = true}, {.leapt = 10'000}), "");
}

TEST(Leaper, KeepsThePaceOfSlowChannels) {
  // At 10 GB/s, a flit of 16 B takes 1.6 cycles.
  const std::vector<Sent> sent{{5, 0, 2, 0, 1, 50'000, 1'600'000}, {6, 1, 2, 0, 1, 50'000, 1'600'000}};
  EXPECT_EQ(compare(torus({4}, link(3, 10'000'000'000)), system_config(), 1, sent, {}, {.leapt = 100'000}),
            "");
}

// A port sleeps between the flits of a message on a slow channel. The node's other port starts a message in
// one of these cycles.
TEST(Leaper, WakesPortsInTheirCycleBetweenTheFlitsOfOthers) {
  for (const bool ahead : {false, true}) {
    for (Cycles at = 1000; at < 1008; ++at) {
      const std::vector<Sent> sent{{5, 0, 2, 0, 1, 2'000, 8 * kCycle}, {at, 0, 1, 1, 1, 500, 8 * kCycle}};
      EXPECT_EQ(compare(torus({4}, link(3, 2'000'000'000)), system_config(), 2, sent, {.ahead = ahead},
                        {.leapt = 10'000}),
                "")
          << at;
    }
  }
}

// Random messages with random contention.
RC_GTEST_PROP(Leaper, ChangesNothing, ()) {
  static const std::vector<std::vector<int>> kDims{{2}, {3}, {5}, {2, 2}, {3, 2}, {4, 3}, {2, 3, 2}, {3, 3}};
  const auto dims = *rc::gen::elementOf(kDims);
  const auto bandwidth = *rc::gen::element<std::int64_t>(16, 16, 8, 10, 5, 2, 1);
  const auto spec = link(*rc::gen::inRange<Cycles>(0, 30), bandwidth * 1'000'000'000);
  const bool wraps = *rc::gen::arbitrary<bool>();
  const auto topology = wraps ? torus(dims, spec) : mesh(dims, spec);
  config::SystemConfig system =
      system_config(*rc::gen::inRange(topology::min_vcs(topology), 6), *rc::gen::inRange(1, 40));
  system.router.routing_delay = *rc::gen::inRange(0, 4);
  system.router.vc_alloc_delay = *rc::gen::inRange(1, 4);
  system.router.sw_alloc_delay = *rc::gen::inRange(1, 4);
  system.router.st_delay = *rc::gen::inRange(1, 4);
  system.router.credit_delay = *rc::gen::inRange(0, 4);
  if (*rc::gen::inRange(0, 5) == 0) system.router.arbitration = config::Arbitration::kAge;
  const int ni_ports = *rc::gen::inRange(1, 4);
  const Femtoseconds flit_time = 16 * kCycle / bandwidth;
  const auto node = rc::gen::inRange<NodeId>(0, topology.num_accelerators());
  std::vector<Sent> sent;
  for (int left = *rc::gen::inRange(1, 12); left > 0; --left) {
    const bool packets = *rc::gen::arbitrary<bool>();
    sent.push_back(
        {*rc::gen::element<Cycles>(1, 1, 2, 3, 100, 2000), *node, *node, *rc::gen::inRange(0, ni_ports),
         packets ? *rc::gen::inRange(1, 600) : 1,
         static_cast<std::uint32_t>(packets ? *rc::gen::inRange(1, 20) : *rc::gen::inRange(1, 8000)),
         *rc::gen::arbitrary<bool>() ? flit_time : 0});
  }
  std::stable_sort(sent.begin(), sent.end(), [](const Sent& a, const Sent& b) { return a.at < b.at; });
  const Leapt how{*rc::gen::arbitrary<bool>(), *rc::gen::inRange(0, 4) == 0};
  RC_ASSERT(compare(topology, system, ni_ports, sent, how, {}) == "");
}

}  // namespace
}  // namespace coppice::fabric
