#include "ni/issue/timestep_counter.h"

#include <gtest/gtest.h>

namespace coppice::ni {
namespace {

TEST(TimestepCounter, CountsFromOneAndNeverBackwards) {
  TimestepCounter counter;
  EXPECT_EQ(counter.value(), 1);
  counter.advance_to(4);
  EXPECT_EQ(counter.value(), 4);
  counter.advance_to(3);
  EXPECT_EQ(counter.value(), 4);
  counter.reset();
  EXPECT_EQ(counter.value(), 1);
}

}  // namespace
}  // namespace coppice::ni
