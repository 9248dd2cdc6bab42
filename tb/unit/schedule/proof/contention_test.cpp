#include "schedule/proof/contention.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "machine.h"
#include "schedule/compile/table_builder.h"
#include "schedule/proof/checker.h"

namespace coppice::schedule {
namespace {

using testing::HasSubstr;

// Accelerators 0 and 1 are on switch 3, and accelerator 2 is on switch 4. A link joins the switches. All
// links have 16 GB/s and 150 ns.
Machine two_switches() {
  topology::Topology graph(topology::Kind::kFile, {}, 3, 2);
  for (const auto& [a, b] : {std::pair{0, 3}, {1, 3}, {2, 4}, {3, 4}}) {
    graph.add_channel(a, b, {16'000'000'000}, 150 * kFemtosecondsPerNanosecond);
    graph.add_channel(b, a, {16'000'000'000}, 150 * kFemtosecondsPerNanosecond);
  }
  return make_machine(std::move(graph));
}

// The report on an all-gather in which accelerator 0 receives one chunk from distant accelerator 2 and one
// from nearby accelerator 1, in the given steps.
CheckReport receive_at_0(int step_of_far, int step_of_near, Bytes size) {
  const Machine machine = two_switches();
  const auto chunks = split_into_chunks(size, 4, 3);
  const std::vector<Send> sends{{.op = Op::kGather, .flow = 2, .src = 2, .dst = 0, .step = step_of_far},
                                {.op = Op::kGather, .flow = 1, .src = 1, .dst = 0, .step = step_of_near},
                                {.op = Op::kGather, .flow = 0, .src = 0, .dst = 1, .step = 2},
                                {.op = Op::kGather, .flow = 0, .src = 0, .dst = 2, .step = 4},
                                {.op = Op::kGather, .flow = 1, .src = 1, .dst = 2, .step = 5},
                                {.op = Op::kGather, .flow = 2, .src = 2, .dst = 1, .step = 6}};
  return check_schedule(machine.topology,
                        build_schedule(machine.topology, machine.request(Collective::kAllGather, size),
                                       "by hand", chunks, sends));
}

TEST(Contention, AShortPathAfterALongOneContendsWithItsTail) {
  const CheckReport report = receive_at_0(1, 2, 3 << 16);
  EXPECT_FALSE(report.contention_free);
  EXPECT_TRUE(report.disjoint_steps);
  EXPECT_THAT(to_string(two_switches().topology, report.shared.front()),
              HasSubstr("channel 3->0 (port 0) in step 2: messages of an earlier step may still be on it"));
}

TEST(Contention, ALongPathAfterAShortOneDoesNot) {
  EXPECT_TRUE(receive_at_0(2, 1, 3 << 16).contention_free);
}

// The longer path has one more channel, with a latency of 150 ns. An idle timestep of 4096 bytes lasts 256
// ns, which is enough to separate the messages; one of 1024 bytes is not.
TEST(Contention, ALongIdleTimestepPreventsContention) {
  EXPECT_TRUE(receive_at_0(1, 3, 3 * 4096).contention_free);
  EXPECT_FALSE(receive_at_0(1, 3, 3 * 1024).contention_free);
}

TEST(Contention, MessagesOfAStepShareAChannel) {
  const CheckReport report = receive_at_0(1, 1, 3 << 16);
  EXPECT_FALSE(report.contention_free);
  EXPECT_FALSE(report.disjoint_steps);
  EXPECT_THAT(to_string(two_switches().topology, report.shared.front()), HasSubstr("in step 1: 2 messages"));
}

}  // namespace
}  // namespace coppice::schedule
