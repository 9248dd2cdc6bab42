#include "system/program/program_state.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "base/time_limit.h"
#include "small_program.h"

namespace coppice::system {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr const char* kRing = "kind: ring, dims: [4]";
constexpr const char* kText =
    "ranks: 3\nplacement: [3, 0, 2]\ngroups: {g: [0, 2]}\noperations:\n"
    "  - {name: a, all_reduce: 64 B, group: g, priority: 2}\n"
    "  - {name: b, all_reduce: 64 B}\n"
    "  - {name: s, send: 10 B, from: 1, to: 2}\n";

TEST(ProgramState, AssignsRanksToAccelerators) {
  const SmallProgram one(kRing, kText);
  EXPECT_EQ(one.state->accelerator(0), 3);
  EXPECT_EQ(one.state->rank_on(3), 0);
  EXPECT_EQ(one.state->rank_on(0), 1);
  EXPECT_EQ(one.state->rank_on(1), -1);
  EXPECT_EQ(one.state->rank_on(4), -1);
  EXPECT_EQ(one.state->operations(), 2 + 3 + 2);
  EXPECT_EQ(one.state->begins(2), 0);
}

// Collectives have the numbers from 1, and transfers the numbers after them. Each has tables at all
// participating accelerators.
TEST(ProgramState, NumbersItsExchanges) {
  const SmallProgram one(kRing, kText);
  EXPECT_EQ(one.state->context_of(workload::JoinCollective{1}), 2U);
  EXPECT_EQ(one.state->context_of_transfer(0), 3U);
  const ni::ContextTables a = one.state->tables(1, 2);
  EXPECT_EQ(a.id, 1U);
  EXPECT_EQ(a.priority, 2);
  EXPECT_EQ(a.base, Bytes{1} << ProgramState::kBufferBits);
  const ni::ContextTables sender = one.state->tables(3, 0);
  const ni::ContextTables receiver = one.state->tables(3, 2);
  EXPECT_EQ(sender.arrivals, 0);
  EXPECT_EQ(receiver.arrivals, 1);
  EXPECT_EQ(sender.priority, 0);
  EXPECT_EQ(one.state->entries(3, 0), 1);
  EXPECT_EQ(one.state->entries(3, 2), 0);
}

// A collective of a single rank moves no data, so its verification always succeeds.
TEST(ProgramState, AllowsASingleRank) {
  const SmallProgram one(kRing, "ranks: 1\noperations:\n  - {name: a, all_reduce: 64 B}\n");
  EXPECT_EQ(one.state->exchange(1).compiled, nullptr);
  one.state->joined(1, 5);
  EXPECT_NO_THROW(one.state->done(1, 7));
  EXPECT_EQ(one.state->exchange(1).ended, 7);
}

TEST(ProgramState, RecordsTimesOfJoiningAndEnding) {
  const SmallProgram one(kRing, kText, {"check=off"});
  for (const Cycles now : {7, 9, 3}) one.state->joined(2, now);
  EXPECT_EQ(one.state->exchange(2).first_joined, 3);
  EXPECT_EQ(one.state->exchange(2).last_joined, 9);
  for (const Cycles now : {20, 30, 25}) one.state->done(2, now);
  EXPECT_EQ(one.state->exchange(2).ended, 30);
  EXPECT_EQ(one.state->exchange(1).first_joined, -1);
  one.state->operation_ended(30);
  one.state->operation_ended(12);
  EXPECT_EQ(one.state->last(), 30);
  EXPECT_EQ(one.state->ended(), 2);
}

// If data has not been moved, the verification fails when the last member is done.
TEST(ProgramState, VerifiesWhenAllAreDone) {
  const SmallProgram one(kRing, kText);
  EXPECT_EQ(one.state->verified(), "values");
  EXPECT_NO_THROW(one.state->done(1, 40));
  EXPECT_THAT([&] { one.state->done(1, 41); },
              ThrowsMessage<ModelError>(HasSubstr("collective 'a', which ended in cycle 41")));
  EXPECT_NO_THROW(one.state->done(3, 50));
  EXPECT_THAT([&] { one.state->done(3, 51); },
              ThrowsMessage<ModelError>(AllOf(HasSubstr("transfer 's'"), HasSubstr("cycle 51"))));
}

// Each exchange has its own buffer in an accelerator's memory; the high bits of an address identify the
// buffer.
TEST(ProgramState, SeparatesBuffers) {
  const SmallProgram one(kRing, kText);
  ProgramMemory sends(*one.state, 0);
  ProgramMemory receives(*one.state, 2);
  const Bytes transfer = Bytes{3} << ProgramState::kBufferBits;
  const Bytes collective = Bytes{2} << ProgramState::kBufferBits;
  const ni::Payload before = receives.copy(collective, 12);
  receives.store(transfer, 12, sends.copy(transfer, 12));
  EXPECT_EQ(receives.copy(collective, 12).values, before.values);
  EXPECT_EQ(receives.copy(transfer, 12).values, sends.copy(transfer, 12).values);
  EXPECT_NO_THROW(one.state->done(3, 1));
  EXPECT_NO_THROW(one.state->done(3, 2));
}

TEST(ProgramState, ComputesDurationsByTheClockAndTheRoofline) {
  const auto cycles = [](const workload::Compute& compute, std::vector<std::string> keys, int rank = 0) {
    keys.emplace_back("system.clock=1 GHz");
    return SmallProgram(kRing, kText, keys).state->duration(compute, rank);
  };
  const std::vector<std::string> roofline{
      "system.accelerator.model=roofline", "system.accelerator.roofline.peak_tflops=1",
      "system.accelerator.roofline.efficiency=0.5", "system.accelerator.roofline.memory_bandwidth=100 GB/s",
      "system.accelerator.roofline.memory_efficiency=0.25"};
  EXPECT_EQ(cycles({.duration = 1'000'000}, {}), 1);
  EXPECT_EQ(cycles({.duration = 1'000'001}, {}), 2);
  EXPECT_EQ(cycles({}, {}), 0);
  // The roofline allows 500 operations and 25 bytes per nanosecond.
  EXPECT_EQ(cycles({.operations = 5000}, roofline), 10);
  EXPECT_EQ(cycles({.operations = 5001}, roofline), 11);
  EXPECT_EQ(cycles({.operations = 5000, .bytes = 5000}, roofline), 200);
  std::vector<std::string> launched = roofline;
  launched.emplace_back("system.accelerator.roofline.launch=3 us");
  EXPECT_EQ(cycles({.operations = 5000, .bytes = 5000}, launched), 3200);
  EXPECT_EQ(cycles({.duration = 1'000'000}, launched), 1);
  EXPECT_EQ(cycles({.duration = 10'000'000}, {"program.jitter=[1, 1.5, 2]"}, 1), 15);
  EXPECT_EQ(cycles({.duration = 10'000'000}, {"program.jitter=3"}, 1), 30);
  EXPECT_THROW(cycles({.operations = 1e30}, roofline), TimeLimitError);
  const SmallProgram slow(kRing, kText, {"system.accelerator.memory_bandwidth=16 GB/s"});
  EXPECT_EQ(slow.state->duration(workload::MemoryAccess{.bytes = 161}), 11);
  EXPECT_EQ(SmallProgram(kRing, kText).state->duration(workload::MemoryAccess{.bytes = 0}), 0);
}

}  // namespace
}  // namespace coppice::system
