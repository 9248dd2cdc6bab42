#include "fabric/flits/node_stretch.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include "message_bench.h"

namespace coppice::fabric {
namespace {

const Leapt kAhead{.ahead = true};

// Requires that stretches skip 8,000 node cycles, about two thirds of those in which nodes are active.
TEST(NodeStretch, RunsThroughMessagesThatShareAChannel) {
  const std::vector<Sent> sent{
      {5, 0, 2, 0, 1, 20'000, 0}, {700, 1, 2, 0, 1, 15'000, 0}, {9000, 1, 3, 0, 1, 900, 0}};
  EXPECT_EQ(compare(mesh({4}, link(150)), system_config(4, 128), 1, sent, kAhead, {.stretched = 8'000}), "");
}

// In a complete machine, each network interface adds an alarm to its node. The alarm must ring in every cycle
// for which it is set, even within a stretch.
TEST(NodeStretch, RunsBesideModulesWithoutChannels) {
  const std::vector<Sent> sent{
      {5, 0, 2, 0, 1, 20'000, 0}, {700, 1, 2, 0, 1, 15'000, 0}, {9000, 1, 3, 0, 1, 900, 0}};
  const Leapt how{.ahead = true, .ticks = true};
  EXPECT_EQ(compare(mesh({4}, link(150)), system_config(4, 128), 1, sent, how, {.stretched = 8'000}), "");
}

TEST(NodeStretch, NotifiesObserversAndReceiversOfEveryFlit) {
  const std::vector<Sent> sent{
      {5, 0, 2, 0, 1, 4'000, 0}, {6, 1, 2, 1, 1, 3'000, 0}, {7, 3, 2, 0, 1, 2'000, 0}};
  const Leapt how{.ahead = true, .observed = true};
  EXPECT_EQ(compare(mesh({4}, link(60)), system_config(2, 300), 2, sent, how, {.stretched = 2'000}), "");
}

// Stretches also work for flits on channels between nodes of different threads.
TEST(NodeStretch, RunsInThreads) {
  const std::vector<Sent> sent{
      {5, 0, 2, 0, 1, 20'000, 0}, {6, 1, 3, 0, 1, 15'000, 0}, {7, 3, 0, 0, 1, 20'000, 0}};
  const Leapt how{.ahead = true, .threads = 3};
  EXPECT_EQ(compare(torus({4}, link(150)), system_config(2, 310), 1, sent, how, {.stretched = 8'000}), "");
}

// Some messages match the rate of the channels, which are slower than one flit per cycle; another message is
// injected at full rate.
TEST(NodeStretch, KeepsThePaceOfSlowChannels) {
  const std::vector<Sent> sent{
      {5, 0, 2, 0, 1, 8'000, 1'600'000}, {6, 1, 2, 0, 1, 9'000, 1'600'000}, {7, 3, 1, 0, 1, 9'000, 0}};
  EXPECT_EQ(compare(torus({4}, link(180, 10'000'000'000)), system_config(4, 200), 1, sent, kAhead,
                    {.stretched = 10'000}),
            "");
}

// Random messages contend for channels that are long enough for stretches, and begin and end at many
// different times.
RC_GTEST_PROP(NodeStretch, ChangesNothing, ()) {
  static const std::vector<std::vector<int>> kDims{{2}, {3}, {2, 2}, {3, 2}, {4, 3}, {2, 3, 2}, {3, 3}};
  const auto dims = *rc::gen::elementOf(kDims);
  const auto bandwidth = *rc::gen::element<std::int64_t>(16, 16, 16, 12, 8, 10, 5);
  const auto spec = link(*rc::gen::element<Cycles>(32, 40, 64, 150, 250, 600), bandwidth * 1'000'000'000);
  const bool wraps = *rc::gen::arbitrary<bool>();
  const auto topology = wraps ? torus(dims, spec) : mesh(dims, spec);
  config::SystemConfig system = system_config(*rc::gen::inRange(topology::min_vcs(topology), 6),
                                              *rc::gen::element(20, 64, 100, 128, 318, 500));
  system.router.routing_delay = *rc::gen::inRange(0, 4);
  system.router.vc_alloc_delay = *rc::gen::inRange(1, 4);
  system.router.sw_alloc_delay = *rc::gen::inRange(1, 4);
  system.router.st_delay = *rc::gen::inRange(1, 4);
  system.router.credit_delay = *rc::gen::inRange(0, 4);
  system.ni.reduction_flits_per_cycle = *rc::gen::element(1.0, 1.0, 0.7);
  if (*rc::gen::inRange(0, 10) == 0) system.router.arbitration = config::Arbitration::kAge;
  const int ni_ports = *rc::gen::inRange(1, 4);
  const Femtoseconds flit_time = 16 * kCycle / bandwidth;
  const auto node = rc::gen::inRange<NodeId>(0, topology.num_accelerators());
  std::vector<Sent> sent;
  for (int left = *rc::gen::inRange(1, 40); left > 0; --left) {
    sent.push_back({*rc::gen::element<Cycles>(1, 2, 300, 2000, 2100, 5000), *node, *node,
                    *rc::gen::inRange(0, ni_ports), 1,
                    *rc::gen::element<std::uint32_t>(1, 2, 17, 60, 200, 500, 1500, 3000),
                    *rc::gen::arbitrary<bool>() ? flit_time : 0});
  }
  std::stable_sort(sent.begin(), sent.end(), [](const Sent& a, const Sent& b) { return a.at < b.at; });
  const Leapt how{true, *rc::gen::inRange(0, 4) == 0, *rc::gen::element(1, 1, 3)};
  RC_ASSERT(compare(topology, system, ni_ports, sent, how, {}) == "");
}

}  // namespace
}  // namespace coppice::fabric
