#include "fabric/delay_wheel.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>

namespace coppice::fabric {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(DelayWheel, KeepsTheOrderOfInsertionWithinACycle) {
  DelayWheel<int> wheel(10);
  wheel.schedule(5, 1);
  wheel.schedule(4, 2);
  wheel.schedule(5, 3);
  EXPECT_THAT(wheel.at(4), ElementsAre(2));
  EXPECT_THAT(wheel.at(5), ElementsAre(1, 3));
  EXPECT_THAT(wheel.at(6), IsEmpty());
}

TEST(DelayWheel, IsEmptyOnceAllIsReleased) {
  DelayWheel<int> wheel(1);
  EXPECT_TRUE(wheel.empty());
  wheel.schedule(1, 7);
  EXPECT_FALSE(wheel.empty());
  wheel.release(1);
  EXPECT_TRUE(wheel.empty());
}

// Against an ordered map, over many turns of the wheel.
RC_GTEST_PROP(DelayWheel, DeliversEveryEventInItsCycle, ()) {
  const Cycles longest = *rc::gen::inRange<Cycles>(1, 300);
  DelayWheel<int> wheel(longest);
  std::map<Cycles, std::vector<int>> model;
  Cycles now = *rc::gen::inRange<Cycles>(0, 1'000'000);
  int event = 0;
  for (const int count : *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 4))) {
    for (int i = 0; i < count; ++i) {
      const Cycles at = now + *rc::gen::inRange<Cycles>(1, longest + 1);
      wheel.schedule(at, event);
      model[at].push_back(event++);
    }
    RC_ASSERT(wheel.empty() == model.empty());
    if (model.empty()) continue;
    now = wheel.next_after(now);
    RC_ASSERT(now == model.begin()->first);
    RC_ASSERT(std::ranges::equal(wheel.at(now), model.begin()->second));
    wheel.release(now);
    model.erase(model.begin());
  }
}

}  // namespace
}  // namespace coppice::fabric
