#include "ni/network_interface.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "two_nodes.h"

namespace coppice::ni {
namespace {

using schedule::Op;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;

// A message of 160 bytes has a head flit and ten data flits.
constexpr Bytes kBytes = 160;
constexpr Cycles kFlits = 11;

// A message that is decoded in cycle 0 is read from memory, sent, carried by the network and added.
TEST(NetworkInterface, MovesAMessageThroughItsStages) {
  TwoNodes two;
  two.add(0, Op::kReduce, 1, kBytes);
  two.run();
  const MessageRecord& message = two.message(0, 0);
  EXPECT_EQ(message.issued, 0);
  EXPECT_EQ(message.head_injected, 3);
  EXPECT_EQ(message.tail_injected, 3 + kFlits - 1);
  EXPECT_EQ(message.tail_ejected, 3 + TwoNodes::kZeroLoad + kFlits - 1);
  EXPECT_EQ(message.completed, message.tail_ejected + 5);
  EXPECT_EQ(message.flits, kFlits);
  EXPECT_EQ(message.serialization, kFlits);
  EXPECT_EQ(message.zero_load_latency, TwoNodes::kZeroLoad);
  EXPECT_EQ(message.src, 0);
  EXPECT_EQ(message.dst, 1);
  EXPECT_TRUE(two.interfaces[0]->finished());
  EXPECT_TRUE(two.fabric->idle());
  EXPECT_EQ(two.log.open_count(), 0);
  EXPECT_FALSE(sc_core::sc_pending_activity());
}

// A hand-written all-reduce: each node reduces one half of the data and then sends the sum to the other node.
TEST(NetworkInterface, ReducesAndGathersByDependencies) {
  TwoNodes two;
  for (const NodeId node : {0, 1}) {
    two.add(node, Op::kReduce, 1 - node, 512);
    two.add(node, Op::kGather, node, 512, 2, 1);
  }
  two.run();
  for (const auto& memory : two.memories) EXPECT_THAT(memory->values(), Each(11.0F));
  for (const NodeId node : {0, 1}) {
    // The gather issues in the cycle in which its sum is complete in memory; a store takes one cycle.
    EXPECT_EQ(two.message(node, 1).issued, two.message(1 - node, 0).completed);
    EXPECT_EQ(two.message(node, 1).dependencies_met, two.message(1 - node, 0).completed);
    EXPECT_EQ(two.message(node, 1).completed, two.message(node, 1).tail_ejected + 1);
    EXPECT_EQ(two.message(node, 1).enabler_tail_injected, two.message(1 - node, 0).tail_injected);
    EXPECT_EQ(two.message(node, 1).enabler_delay, 0);
  }
}

// The lockstep delays the gather until long after the arrival on which it depends. Further arrivals of its
// flow must not change the recorded time.
TEST(NetworkInterface, RecordsWhenDependenciesWereMet) {
  TwoNodes two;
  two.system.ni.lockstep = true;
  two.add(0, Op::kNop, -1, 512, 1);
  two.add(0, Op::kNop, -1, 512, 2);
  two.add(0, Op::kNop, -1, 512, 3);
  two.add(0, Op::kNop, -1, 512, 4);
  two.add(0, Op::kGather, 0, 512, 5, 1);
  two.add(1, Op::kReduce, 0, kBytes, 1);
  two.add(1, Op::kReduce, 0, kBytes, 1);
  two.run();
  const MessageRecord& message = two.message(0, 4);
  ASSERT_GT(message.issued, two.message(1, 1).completed);
  EXPECT_EQ(message.dependencies_met, two.message(1, 0).completed);
  EXPECT_EQ(message.enabler_tail_injected, two.message(1, 0).tail_injected);
}

// An entry sends the data that is in memory when it issues, not when its table was loaded.
TEST(NetworkInterface, ReadsTheBufferWhenAnEntryIssues) {
  TwoNodes two;
  two.add(1, Op::kReduce, 0, 512);
  two.add(0, Op::kGather, 0, 512, 1, 1);
  two.run();
  EXPECT_EQ(two.memories[1]->values()[0], 11.0F);
}

TEST(NetworkInterface, IssuesOneEntryPerPortAndCycle) {
  TwoNodes two;
  two.add(0, Op::kReduce, 1, kBytes);
  two.add(0, Op::kReduce, 1, kBytes);
  two.run();
  EXPECT_EQ(two.message(0, 0).issued, 0);
  EXPECT_EQ(two.message(0, 1).issued, 1);
  // The second message's head follows the first message's tail without a gap.
  EXPECT_EQ(two.message(0, 1).head_injected, two.message(0, 0).tail_injected + 1);
  EXPECT_EQ(two.message(0, 1).port_free_since, two.message(0, 0).tail_injected + 1);
}

TEST(NetworkInterface, HoldsTwoMessagesPerPort) {
  TwoNodes two;
  for (int i = 0; i < 3; ++i) two.add(0, Op::kReduce, 1, 3 * kBytes);
  two.run();
  EXPECT_EQ(two.message(0, 1).issued, 1);
  EXPECT_EQ(two.message(0, 2).issued, two.message(0, 0).tail_injected + 1);
  EXPECT_EQ(two.message(0, 2).head_injected, two.message(0, 1).tail_injected + 1);
}

// --- lockstep --------------------------------------------------------------------------------------------

TEST(NetworkInterface, HoldsTheNextStepForTheChunk) {
  TwoNodes two;
  two.system.ni.lockstep = true;
  two.add(0, Op::kReduce, 1, kBytes, 1);
  two.add(0, Op::kReduce, 1, kBytes, 2);
  two.run();
  EXPECT_EQ(two.message(0, 1).issued, kFlits);
  EXPECT_EQ(two.message(0, 1).released, kFlits);
  EXPECT_EQ(two.message(0, 0).released, 0);
}

TEST(NetworkInterface, LetsTheBufferAbsorbTheRest) {
  TwoNodes two;
  two.system.ni.lockstep = true;
  two.system.ni.buffer = 8;
  two.add(0, Op::kReduce, 1, kBytes, 1);
  two.add(0, Op::kReduce, 1, kBytes, 2);
  two.add(0, Op::kReduce, 1, kBytes, 3);
  two.run();
  EXPECT_EQ(two.message(0, 1).issued, kFlits - 8);
  // The lockstep releases step 3 relative to the nominal end of step 2, but the queue has a free slot only
  // later.
  EXPECT_EQ(two.message(0, 2).released, 2 * kFlits - 8);
  EXPECT_EQ(two.message(0, 2).issued, two.message(0, 0).tail_injected + 1);
}

// The lockstep counts time, not flits: at 4 GB/s, a flit lasts four cycles.
TEST(NetworkInterface, HoldsTheNextStepForTheTimeOnASlowChannel) {
  TwoNodes two;
  two.system.ni.lockstep = true;
  two.bandwidth = {4'000'000'000};
  two.add(0, Op::kReduce, 1, kBytes, 1);
  two.add(0, Op::kNop, -1, 2 * kBytes, 2);
  two.add(0, Op::kReduce, 1, kBytes, 3);
  two.run();
  EXPECT_EQ(two.message(0, 0).serialization, 4 * kFlits);
  EXPECT_EQ(two.message(0, 2).released, 4 * kFlits + 4 * 21);
  EXPECT_EQ(two.message(0, 2).issued, 4 * kFlits + 4 * 21);
}

TEST(NetworkInterface, LetsTheBufferAbsorbFlitsOfASlowChannel) {
  TwoNodes two;
  two.system.ni.lockstep = true;
  two.system.ni.buffer = 8;
  two.bandwidth = {4'000'000'000};
  two.add(0, Op::kReduce, 1, kBytes, 1);
  two.add(0, Op::kReduce, 1, kBytes, 2);
  two.run();
  EXPECT_EQ(two.message(0, 1).released, 4 * (kFlits - 8));
}

TEST(NetworkInterface, HoldsTheNextStepForNops) {
  TwoNodes two;
  two.system.ni.lockstep = true;
  two.add(0, Op::kNop, -1, kBytes, 1);
  two.add(0, Op::kNop, -1, 2 * kBytes, 2);
  two.add(0, Op::kReduce, 1, kBytes, 3);
  two.run();
  EXPECT_EQ(two.message(0, 2).issued, 11 + 21);
}

// A nop without packets has no duration in the lockstep, but each takes one cycle to leave the table.
TEST(NetworkInterface, TakesACycleForANopWithoutPackets) {
  TwoNodes two;
  two.system.ni.lockstep = true;
  two.system.ni.flow_control = config::FlowControl::kPacket;
  two.add(0, Op::kNop, -1, 0, 1);
  two.add(0, Op::kNop, -1, 0, 2);
  two.add(0, Op::kReduce, 1, kBytes, 3);
  two.run();
  EXPECT_EQ(two.message(0, 2).issued, 2);
}

TEST(NetworkInterface, SkipsNopsWithoutLockstep) {
  TwoNodes two;
  two.add(0, Op::kNop, -1, kBytes, 1);
  two.add(0, Op::kReduce, 1, kBytes, 2);
  two.run();
  EXPECT_EQ(two.message(0, 1).issued, 0);
}

// --- flow control ----------------------------------------------------------------------------------------

TEST(NetworkInterface, SendsAHeadPerPacketUnderPacketBasedFlowControl) {
  TwoNodes two;
  two.system.ni.flow_control = config::FlowControl::kPacket;
  two.system.ni.payload = 64;
  two.add(0, Op::kReduce, 1, kBytes);  // packets of 64, 64 and 32 bytes
  two.run();
  EXPECT_EQ(two.message(0, 0).flits, 5 + 5 + 3);
  EXPECT_EQ(two.message(0, 0).tail_injected - two.message(0, 0).head_injected, 12);
  EXPECT_EQ(two.memories[1]->values()[128], 11.0F);
}

// --- diagnostics
// --------------------------------------------------------------------------------------------

TEST(NetworkInterface, ReportsWhatItWaitsFor) {
  TwoNodes two;
  two.add(0, Op::kReduce, 1, kBytes, 3, 2);
  two.add(1, Op::kGather, 0, kBytes);
  two.run(1'000);
  EXPECT_FALSE(two.interfaces[0]->finished());
  EXPECT_TRUE(two.interfaces[1]->finished());
  EXPECT_THAT(two.interfaces[0]->describe_waiting(1'000),
              AllOf(HasSubstr("NI 0 port 0: reduce of flow 1 in step 3 waits for dependency"),
                    HasSubstr("0 of 2 arrivals")));
  EXPECT_EQ(two.interfaces[1]->describe_waiting(1'000), "");
  EXPECT_FALSE(sc_core::sc_pending_activity());
}

TEST(NetworkInterface, ReportsItsCounters) {
  TwoNodes two;
  two.system.ni.lockstep = true;
  two.add(0, Op::kReduce, 1, kBytes, 1);
  two.add(0, Op::kReduce, 1, kBytes, 4);
  two.run(5);
  const auto view = two.interfaces[0]->view(0, 5);
  EXPECT_EQ(view.state, DecoderState::kWaitLockstep);
  EXPECT_EQ(view.timestep, 1);
  EXPECT_EQ(view.lockstep, kFlits - 5);
  EXPECT_EQ(view.issued, 1);
}

}  // namespace
}  // namespace coppice::ni
