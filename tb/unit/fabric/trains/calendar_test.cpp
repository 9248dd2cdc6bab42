#include "fabric/trains/calendar.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace coppice::fabric {
namespace {

using ::testing::ElementsAre;

TEST(Calendar, ServesCyclesInOrderAndEventsInInsertionOrder) {
  Calendar<int> calendar;
  EXPECT_TRUE(calendar.empty());
  calendar.add(7, 1);
  calendar.add(3, 2);
  calendar.add(7, 3);
  EXPECT_EQ(calendar.next(), 3);
  EXPECT_THAT(calendar.take(), ElementsAre(2));
  EXPECT_EQ(calendar.next(), 7);
  EXPECT_THAT(calendar.take(), ElementsAre(1, 3));
  EXPECT_TRUE(calendar.empty());
}

TEST(Calendar, ServesEventsThatAreAddedDuringTheirCycle) {
  Calendar<int> calendar;
  calendar.add(5, 1);
  const std::vector<int>& events = calendar.take();
  calendar.add(5, 2);
  EXPECT_THAT(events, ElementsAre(1));
  EXPECT_EQ(calendar.next(), 5);
  EXPECT_THAT(calendar.take(), ElementsAre(2));
}

// The calendar must return its entries in the order of a stable sort by cycle.
RC_GTEST_PROP(Calendar, IsASortByCycle, (const std::vector<std::pair<std::uint8_t, int>>& additions)) {
  Calendar<int> calendar;
  std::vector<std::pair<Cycles, int>> model;
  for (const auto& [cycle, event] : additions) {
    calendar.add(cycle % 8, event);
    model.emplace_back(cycle % 8, event);
    std::ranges::stable_sort(model, {}, &std::pair<Cycles, int>::first);
    if (event % 3 != 0) continue;
    const Cycles next = calendar.next();
    for (const int taken : calendar.take()) {
      RC_ASSERT(model.front() == std::pair(next, taken));
      model.erase(model.begin());
    }
    RC_ASSERT(model.empty() || model.front().first > next);
  }
  RC_ASSERT(calendar.empty() == model.empty());
}

}  // namespace
}  // namespace coppice::fabric
