#include "ni/dependency_tracker.h"

#include <gtest/gtest.h>

namespace coppice::ni {
namespace {

TEST(DependencyTracker, CountsArrivalsPerFlow) {
  DependencyTracker tracker(3);
  EXPECT_TRUE(tracker.satisfied(1, 0));
  EXPECT_FALSE(tracker.satisfied(1, 1));
  tracker.arrived(1, 40, 10, 2);
  tracker.arrived(1, 50, 20, 0);
  EXPECT_TRUE(tracker.satisfied(1, 2));
  EXPECT_FALSE(tracker.satisfied(1, 3));
  EXPECT_FALSE(tracker.satisfied(0, 1));
  EXPECT_FALSE(tracker.satisfied(2, 1));
}

TEST(DependencyTracker, RemembersTheLastArrival) {
  DependencyTracker tracker(1);
  tracker.arrived(0, 40, 10, 2);
  tracker.arrived(0, 50, 20, 5);
  EXPECT_EQ(tracker.flow(0).last_arrival, 50);
  EXPECT_EQ(tracker.flow(0).tail_injected, 20);
  EXPECT_EQ(tracker.flow(0).delay, 5);
}

}  // namespace
}  // namespace coppice::ni
