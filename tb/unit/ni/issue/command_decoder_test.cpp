#include "ni/issue/command_decoder.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace coppice::ni {
namespace {

class CommandDecoder : public ::testing::Test {
 protected:
  CommandDecoder() {
    entry_.op = schedule::Op::kReduce;
    entry_.flow = 0;
    entry_.dependencies = 1;
    lockstep_.load(0, 100, 0);
  }
  DecoderState state(Cycles now, bool queue_has_place = true, bool lockstep = true) const {
    return decode(&entry_, false, lockstep, lockstep_, tracker_, queue_has_place, now);
  }

  TableEntry entry_;
  LockstepCounter lockstep_;
  DependencyTracker tracker_{1};
};

TEST_F(CommandDecoder, IsDoneWithoutAnEntry) {
  EXPECT_EQ(decode(nullptr, false, true, lockstep_, tracker_, true, 0), DecoderState::kDone);
}

// The decoder tests conditions in the hardware's order of priority: lockstep, dependencies, queue space.
TEST_F(CommandDecoder, WaitsForLockstepThenDependencyThenQueue) {
  EXPECT_EQ(state(99, false), DecoderState::kWaitLockstep);
  EXPECT_EQ(state(100, false), DecoderState::kWaitDependency);
  tracker_.arrived(0);
  EXPECT_EQ(state(100, false), DecoderState::kWaitQueue);
  EXPECT_EQ(state(100), DecoderState::kIssue);
}

TEST_F(CommandDecoder, IgnoresTheCounterWithoutLockstep) {
  EXPECT_EQ(state(0, true, false), DecoderState::kWaitDependency);
}

TEST_F(CommandDecoder, AcceptsNopsWhateverTheQueueHolds) {
  entry_ = {};
  EXPECT_EQ(state(99, false), DecoderState::kWaitLockstep);
  EXPECT_EQ(state(100, false), DecoderState::kNop);
}

TEST_F(CommandDecoder, SkipsLinesWhateverTheHeadWaitsFor) {
  EXPECT_EQ(decode(&entry_, true, true, lockstep_, tracker_, false, 99), DecoderState::kPass);
  EXPECT_EQ(decode(nullptr, true, true, lockstep_, tracker_, false, 99), DecoderState::kDone);
}

TEST_F(CommandDecoder, NamesEveryState) {
  std::set<std::string> names;
  for (const auto state :
       {DecoderState::kDone, DecoderState::kWaitLockstep, DecoderState::kWaitDependency,
        DecoderState::kWaitQueue, DecoderState::kIssue, DecoderState::kNop, DecoderState::kPass}) {
    names.insert(to_string(state));
  }
  EXPECT_EQ(names.size(), 7U);
  EXPECT_FALSE(names.contains("?"));
}

}  // namespace
}  // namespace coppice::ni
