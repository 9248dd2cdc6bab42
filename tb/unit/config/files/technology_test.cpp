#include "config/files/technology.h"

#include <cmath>

#include <gmock/gmock.h>

namespace coppice::config {
namespace {

using ::testing::DoubleNear;

TEST(Technology, IsFoundByName) {
  ASSERT_NE(find_technology("45nm"), nullptr);
  EXPECT_EQ(find_technology("45nm")->nanometres, 45);
  EXPECT_EQ(find_technology("44nm"), nullptr);
}

TEST(Technology, UsesRatiosOfMeasuredLibraries) {
  EXPECT_THAT(area_ratio(45, 180), DoubleNear(0.0376, 1e-12));
  EXPECT_THAT(area_ratio(7, 45), DoubleNear(0.00256 / 0.0376, 1e-12));
  EXPECT_THAT(area_ratio(180, 45), DoubleNear(1 / 0.0376, 1e-9));
  EXPECT_THAT(capacitance_ratio(130, 180), DoubleNear(0.212, 1e-12));
}

// At the geometric mean of two libraries' feature sizes, the interpolated ratio is the geometric mean of
// their ratios.
TEST(Technology, InterpolatesBetweenTheLogarithmsOfLibraries) {
  EXPECT_THAT(area_ratio(std::sqrt(130.0 * 45), 180), DoubleNear(std::sqrt(0.258 * 0.0376), 1e-12));
  EXPECT_THAT(capacitance_ratio(std::sqrt(180.0 * 130), 180), DoubleNear(std::sqrt(0.212), 1e-12));
}

TEST(Technology, ScalesWithTheFeatureSizeBeyondTheLastLibrary) {
  EXPECT_THAT(area_ratio(3.5, 7), DoubleNear(0.25, 1e-12));
  EXPECT_THAT(area_ratio(360, 180), DoubleNear(4, 1e-12));
  EXPECT_THAT(capacitance_ratio(22.5, 45), DoubleNear(0.5, 1e-12));
}

TEST(Technology, HasALargerErrorBelowTheSmallestLibraryWithAMeasuredEnergy) {
  EXPECT_EQ(find_technology("130nm")->energy_error, find_technology("45nm")->energy_error);
  EXPECT_GT(find_technology("32nm")->energy_error, find_technology("45nm")->energy_error);
  EXPECT_THAT(find_technology("7nm")->energy_error, DoubleNear(4.8, 0.1));
}

}  // namespace
}  // namespace coppice::config
