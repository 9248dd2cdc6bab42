#include "accelerator/buffers/tiling.h"

#include <stdexcept>

#include <gtest/gtest.h>

namespace coppice::accelerator {
namespace {

TEST(Tiling, HasNames) {
  EXPECT_EQ(parse_tiling("least_traffic"), Tiling::kLeastTraffic);
  for (const Tiling order : kTileOrders) EXPECT_EQ(parse_tiling(to_string(order)), order);
  EXPECT_STREQ(to_string(Tiling::kLeastTraffic), "least_traffic");
  EXPECT_STREQ(to_string(Tiling::kWeightReuse), "weight_reuse");
  EXPECT_THROW(parse_tiling("row_stationary"), std::invalid_argument);
}

TEST(Tiling, TrafficAddsUpByOperand) {
  Traffic sum{1, 20, 300};
  sum += {4, 50, 600};
  EXPECT_EQ(sum, (Traffic{5, 70, 900}));
  EXPECT_EQ(sum.total(), 975);
}

}  // namespace
}  // namespace coppice::accelerator
