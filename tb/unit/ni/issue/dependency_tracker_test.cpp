#include "ni/issue/dependency_tracker.h"

#include <gtest/gtest.h>

namespace coppice::ni {
namespace {

TEST(DependencyTracker, CountsArrivalsPerFlow) {
  DependencyTracker tracker(3);
  EXPECT_TRUE(tracker.satisfied(1, 0));
  EXPECT_FALSE(tracker.satisfied(1, 1));
  tracker.arrived(1);
  tracker.arrived(1);
  EXPECT_TRUE(tracker.satisfied(1, 2));
  EXPECT_FALSE(tracker.satisfied(1, 3));
  EXPECT_FALSE(tracker.satisfied(0, 1));
  EXPECT_FALSE(tracker.satisfied(2, 1));
}

// If arrival 2 overtakes arrival 1, both are counted when arrival 1 arrives.
TEST(DependencyTracker, CountsNumberedArrivalsInOrder) {
  DependencyTracker tracker(1);
  tracker.arrived(0, 0);
  tracker.arrived(0, 2);
  EXPECT_EQ(tracker.count(0), 1);
  EXPECT_FALSE(tracker.satisfied(0, 2));
  tracker.arrived(0, 1);
  EXPECT_EQ(tracker.count(0), 3);
  EXPECT_TRUE(tracker.satisfied(0, 3));
}

}  // namespace
}  // namespace coppice::ni
