#include "base/readable_time.h"

#include <gtest/gtest.h>

namespace coppice {
namespace {

TEST(ReadableTime, HasFourDigitsAndASuitableUnit) {
  EXPECT_EQ(readable_time(7'472'680.474), "7.473 ms");
  EXPECT_EQ(readable_time(418'035), "418 us");
  EXPECT_EQ(readable_time(999.5), "999.5 ns");
  EXPECT_EQ(readable_time(999.96), "1 us");
  EXPECT_EQ(readable_time(999'960), "1 ms");
  EXPECT_EQ(readable_time(1.5e9), "1.5 s");
  EXPECT_EQ(readable_time(0), "0 ns");
  EXPECT_EQ(readable_time(12'345.6e9), "12346 s");
}

}  // namespace
}  // namespace coppice
