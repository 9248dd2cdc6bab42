#include "ni/issue/lockstep_counter.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace coppice::ni {
namespace {

TEST(LockstepCounter, HoldsTheNextStepForTheCurrentOne) {
  LockstepCounter counter;
  EXPECT_EQ(counter.release(), 0);
  counter.load(10, 100, 0);
  EXPECT_EQ(counter.release(), 110);
  EXPECT_EQ(counter.value(30), 80);
  EXPECT_EQ(counter.value(110), 0);
  EXPECT_EQ(counter.value(500), 0);
}

// The next step may start as early as the buffer can absorb its flits, but its duration counts from the
// nominal end of the previous step.
TEST(LockstepCounter, CountsFromTheNominalEndOfThePreviousStep) {
  LockstepCounter counter;
  counter.load(0, 100, 30);
  EXPECT_EQ(counter.release(), 70);
  counter.load(70, 100, 30);
  EXPECT_EQ(counter.release(), 170);
  counter.load(170, 50, 0);
  EXPECT_EQ(counter.release(), 250);
}

// A step that starts late delays the following steps.
TEST(LockstepCounter, StartsAgainIfItIsLate) {
  LockstepCounter counter;
  counter.load(0, 100, 0);
  counter.load(400, 100, 0);
  EXPECT_EQ(counter.release(), 500);
}

TEST(LockstepCounter, AbsorbsTheWholeBufferOrNothing) {
  EXPECT_EQ(absorbed_flits(1, 896), 0);
  EXPECT_EQ(absorbed_flits(896, 896), 0);
  EXPECT_EQ(absorbed_flits(897, 896), 896);
  EXPECT_EQ(absorbed_flits(4352, 896), 896);
}

// Nominal steps never overlap, so the k-th release is at least the sum of all durations so far, minus the 896
// cycles that a buffer absorbs.
RC_GTEST_PROP(LockstepCounter, EveryStepHasItsTime, ()) {
  LockstepCounter counter;
  Cycles now = 0;
  Cycles sum = 0;
  for (const Cycles flits : *rc::gen::container<std::vector<Cycles>>(rc::gen::inRange<Cycles>(1, 2000))) {
    now = counter.release() + *rc::gen::inRange<Cycles>(0, 50);
    counter.load(now, flits, absorbed_flits(flits, 896));
    sum += flits;
    RC_ASSERT(counter.release() >= sum - 896);
    RC_ASSERT(counter.release() > now);
  }
}

}  // namespace
}  // namespace coppice::ni
