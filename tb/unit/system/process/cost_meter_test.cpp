#include "system/process/cost_meter.h"

#include <gtest/gtest.h>

namespace coppice::system {
namespace {

TEST(CostMeter, MeasuresTheCostOfASimulation) {
  const CostMeter meter;
  double x = 1;
  while (meter.to_json(0)["user_s"] == 0.0) {
    for (int i = 0; i < 100'000; ++i) x = x * 1.0000001 + 1e-9;
  }
  ASSERT_GT(x, 0);
  const auto json = meter.to_json(1000);
  EXPECT_GE(json["wall_s"], 0.0);
  EXPECT_NEAR(json["flit_hops_per_s"].get<double>(), 1000 / json["user_s"].get<double>(), 1e-6);
  EXPECT_GT(json["peak_rss_bytes"], 1 << 20);
}

}  // namespace
}  // namespace coppice::system
