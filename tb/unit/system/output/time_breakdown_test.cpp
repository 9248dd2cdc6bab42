#include "system/output/time_breakdown.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "machine.h"

namespace coppice::system {
namespace {

ni::MessageRecord record() {
  ni::MessageRecord message;
  message.serialization = 100;
  message.port_free_since = 1000;
  message.issued = 1000;
  message.head_injected = 1004;
  message.tail_injected = 1103;
  return message;
}

TEST(Divide, CountsMemoryAndSerialization) {
  const PortTime time = divide(record());
  EXPECT_EQ(time.latency, 4);
  EXPECT_EQ(time.serialization, 100);
  EXPECT_EQ(time.total(), 104);
}

// If a message was issued while the previous one was still being sent, its whole time is serialization.
TEST(Divide, HidesTimeThatOverlapsThePreviousMessage) {
  ni::MessageRecord message = record();
  message.issued = 200;
  message.head_injected = 1000;
  message.tail_injected = 1099;
  EXPECT_EQ(divide(message).serialization, 100);
  EXPECT_EQ(divide(message).total(), 100);
}

TEST(Divide, CountsDelayedFlitsAsContention) {
  ni::MessageRecord message = record();
  message.tail_injected = 1150;
  EXPECT_EQ(divide(message).contention, 47);
  EXPECT_EQ(divide(message).serialization, 100);
}

// A shortage of credits delayed this message by up to 30 cycles, and the message on which it depends by up to
// 12.
TEST(Divide, DistinguishesCreditsFromContention) {
  ni::MessageRecord message = record();
  message.tail_injected = 1150;
  message.credit_stall = 30;
  EXPECT_EQ(divide(message).credits, 30);
  EXPECT_EQ(divide(message).contention, 17);
  message.credit_stall = 300;
  EXPECT_EQ(divide(message).credits, 47);
  message.dependencies_met = message.issued = 1100;
  message.enabler_tail_injected = 1009;
  message.enabler_delay = 20;
  message.enabler_credit_delay = 12;
  message.head_injected = 1104;
  message.tail_injected = 1203;
  EXPECT_EQ(divide(message).credits, 12);
  EXPECT_EQ(divide(message).contention, 8);
}

// This message waited for another one, which was first still at its sender and then in flight. After its
// arrival, the lockstep held this message back.
TEST(Divide, DividesTheWaitForData) {
  ni::MessageRecord message = record();
  message.enabler_tail_injected = 1099;
  message.enabler_delay = 30;
  message.dependencies_met = 1300;
  message.released = 1320;
  message.issued = 1320;
  message.head_injected = 1324;
  message.tail_injected = 1423;
  const PortTime time = divide(message);
  EXPECT_EQ(time.dependencies, 100);
  EXPECT_EQ(time.contention, 30);
  EXPECT_EQ(time.latency, 170 + 4);
  EXPECT_EQ(time.lockstep, 20);
  EXPECT_EQ(time.serialization, 100);
}

// For arbitrary times, every cycle between the end of the previous message and this message's tail belongs to
// exactly one part, and no part is negative.
RC_GTEST_PROP(Divide, AssignsEveryCycleToOnePart, ()) {
  const auto cycles = rc::gen::inRange<Cycles>(0, 500);
  ni::MessageRecord message;
  message.serialization = *rc::gen::inRange<Cycles>(1, 500);
  message.port_free_since = *cycles;
  message.issued = *cycles;
  message.dependencies_met = *rc::gen::inRange<Cycles>(0, message.issued + 1);
  message.enabler_tail_injected = *rc::gen::inRange<Cycles>(0, message.dependencies_met + 1);
  message.enabler_delay = *rc::gen::inRange<Cycles>(-2, 200);
  message.enabler_credit_delay = *rc::gen::inRange<Cycles>(-2, message.enabler_delay + 1);
  message.credit_stall = *cycles;
  message.head_injected = std::max(message.issued, message.port_free_since) + *cycles;
  message.tail_injected = message.head_injected + *cycles;
  const Cycles begun = *rc::gen::inRange<Cycles>(0, message.issued + 1);
  const PortTime time = divide(message, begun);
  RC_ASSERT(time.total() == message.tail_injected + 1 - message.port_free_since);
  RC_ASSERT(time.idle == std::max<Cycles>(0, begun - message.port_free_since));
  for (const Cycles part :
       {time.serialization, time.latency, time.dependencies, time.lockstep, time.contention, time.credits}) {
    RC_ASSERT(part >= 0);
  }
}

TEST(TimeBreakdown, AddsUpPerPortAndAveragesOverPorts) {
  TimeBreakdown breakdown(2, 2);
  ni::MessageRecord message = record();
  message.src = 1;
  message.src_port = 1;
  message.port_free_since = 0;
  breakdown.add(message);
  EXPECT_EQ(breakdown.port(1, 1).total(), 1104);
  EXPECT_EQ(breakdown.port(1, 0).total(), 0);
  const auto json = breakdown.to_json(2000);
  EXPECT_EQ(json["serialization"], 100.0 / 4);
  EXPECT_EQ(json["finished"], (3 * 2000 + 896) / 4.0);
}

double sum_of_parts(const nlohmann::ordered_json& result) {
  double sum = 0;
  for (const auto& [part, cycles] : result["time_breakdown_cycles"].items()) {
    EXPECT_GE(cycles.get<double>(), 0) << part;
    sum += cycles.get<double>();
  }
  return sum;
}

// In complete runs, with and without contention, the parts must add up to the run's cycles.
TEST(TimeBreakdown, AddsUpToTheTotalOfARun) {
  const std::vector<std::vector<std::string>> runs{
      {"collective.algorithm=multitree"},
      {"collective.algorithm=ring"},
      {"collective.algorithm=multitree", "system.ni.lockstep=false"},
      {"collective.algorithm=multitree", "system.ni.flow_control=message", "fidelity=flit"},
      {"collective.algorithm=multitree", "system.ni.reduction_flits_per_cycle=0.5"},
      {"collective.algorithm=multitree", "system.router.vc_depth=4"},
      {"collective.algorithm=ring", "system.topology.kind=mesh", "system.topology.dims=[3, 3]"},
      {"collective.algorithm=multitree", "system.link.bandwidth=[16 GB/s, 5 GB/s]"},
  };
  for (auto overrides : runs) {
    overrides.emplace_back("collective.size=64 KiB");
    const auto result = run("torus_4x4", overrides);
    EXPECT_NEAR(sum_of_parts(result), result["cycles"].get<double>(), 1e-6) << result["config"].dump();
  }
}

// A contention-free run must report no contention, whatever the link latencies of its dimensions.
TEST(TimeBreakdown, FindsNoContentionIfThereIsNone) {
  for (const char* system : {"torus_4x4", "mesh_4x4"}) {
    for (const char* links : {"150 ns", "[20 ns, 700 ns]", "[700 ns, 20 ns]"}) {
      const auto result = run(system, {"collective.size=64 KiB", "system.router.vc_depth=2000",
                                       std::string("system.link.latency=") + links});
      EXPECT_TRUE(result["contention_free"]);
      EXPECT_EQ(result["time_breakdown_cycles"]["contention"], 0) << system << " " << links;
    }
  }
}

// With buffers too shallow for the credit loop of 306 cycles, messages wait for credits, which must be
// reported as `credits` and not as contention. A message has 65 flits, or 4 packets of 17 flits over two
// virtual channels.
TEST(TimeBreakdown, ReportsTheWaitForCreditsAsCredits) {
  struct Case {
    const char* flow_control;
    const char* depth;
    bool waits;
  };
  for (const auto& [flow_control, depth, waits] :
       {Case{"packet", "3", true}, Case{"packet", "16", true}, Case{"packet", "17", true},
        Case{"packet", "34", false}, Case{"message", "16", true}, Case{"message", "64", true},
        Case{"message", "65", false}}) {
    const auto result = run("torus_4x4", {"collective.size=16 KiB", "collective.algorithm=ring",
                                          std::string("system.router.vc_depth=") + depth,
                                          std::string("system.ni.flow_control=") + flow_control});
    EXPECT_TRUE(result["contention_free"]);
    EXPECT_EQ(result["time_breakdown_cycles"]["contention"], 0) << flow_control << " " << depth;
    EXPECT_EQ(result["time_breakdown_cycles"]["credits"] > 0, waits) << flow_control << " " << depth;
  }
}

}  // namespace
}  // namespace coppice::system
