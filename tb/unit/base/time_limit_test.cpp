#include "base/time_limit.h"

#include <gtest/gtest.h>

#include <limits>

namespace coppice {
namespace {

TEST(TimeLimit, AcceptsWhatFits) {
  EXPECT_EQ(checked_time(3, 5), 15);
  EXPECT_EQ(checked_time(9'223, kFemtosecondsPerSecond), kLongestTime);
  EXPECT_EQ(checked_sum(kLongestTime - 1, 1), kLongestTime);
}

TEST(TimeLimit, RejectsInsteadOfWrapping) {
  EXPECT_THROW(checked_time(9'224, kFemtosecondsPerSecond), TimeLimitError);
  EXPECT_THROW(checked_time(std::numeric_limits<std::int64_t>::max(), 2), TimeLimitError);
  EXPECT_THROW(checked_sum(kLongestTime, 1), TimeLimitError);
  EXPECT_THROW(checked_sum(kLongestTime, std::numeric_limits<Femtoseconds>::max()), TimeLimitError);
}

TEST(TimeLimit, CapsValuesThatAreOnlyCompared) {
  EXPECT_EQ(capped_time(3, 5), 15);
  EXPECT_EQ(capped_time(std::numeric_limits<std::int64_t>::max(), 2), kLongestTime);
}

}  // namespace
}  // namespace coppice
