#include "schedule/packed_trees/event_lanes.h"

#include <gtest/gtest.h>

#include <map>
#include <queue>
#include <vector>

#include "base/random.h"

namespace coppice::schedule {
namespace {

// Compares EventLanes with a priority queue. Events add further events, most of them after one of a few fixed
// delays. Events at the same time are ordered by their number, in the order of addition.
TEST(EventLanes, ServesEventsInTheOrderOfAPriorityQueue) {
  using Expected = std::pair<Femtoseconds, std::int32_t>;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Random random(seed, 0);
    EventLanes lanes;
    std::priority_queue<Expected, std::vector<Expected>, std::greater<>> expected;
    std::int32_t number = 0;
    Femtoseconds now = 0;
    const auto add = [&] {
      ++number;
      if (random.below(4) == 0) {
        const auto at = now + static_cast<Femtoseconds>(random.below(50));
        lanes.push_at(at, number);
        expected.emplace(at, number);
        return;
      }
      const auto delay = static_cast<Femtoseconds>(7 * random.below(5));
      lanes.push_after(lanes.lane(delay), now, number);
      expected.emplace(now + delay, number);
    };
    for (int i = 0; i < 10; ++i) add();
    while (!expected.empty()) {
      ASSERT_FALSE(lanes.empty());
      EXPECT_EQ(lanes.next_time(), expected.top().first);
      const EventLanes::Event event = lanes.pop();
      EXPECT_EQ(Expected(event.at, event.number), expected.top());
      expected.pop();
      now = event.at;
      for (auto more = random.below(3); more > 0 && number < 20'000; --more) add();
      if (expected.empty() && number < 20'000) add();
    }
    EXPECT_TRUE(lanes.empty());
  }
}

}  // namespace
}  // namespace coppice::schedule
