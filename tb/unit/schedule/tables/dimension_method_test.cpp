#include "schedule/tables/dimension_method.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "schedule/tables/dimension_algorithm.h"

namespace coppice::schedule {
namespace {

// Each method is configured by a name of its own.
TEST(DimensionMethod, HasTheNameOfItsAlgorithm) {
  EXPECT_STREQ(to_string(DimensionMethod::kRing), "ring");
  EXPECT_STREQ(to_string(DimensionMethod::kDirect), "direct");
  EXPECT_STREQ(to_string(DimensionMethod::kHalvingDoubling), "halving_doubling");
  std::set<std::string> names;
  for (const DimensionMethod method : kDimensionMethods) EXPECT_TRUE(names.insert(to_string(method)).second);
  EXPECT_FALSE(names.contains("?"));
}

}  // namespace
}  // namespace coppice::schedule
