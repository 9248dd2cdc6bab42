#include "system/output/count_samples.h"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

namespace coppice::system {
namespace {

double sum_of(const TimeWindows& windows, std::size_t series, Femtoseconds end) {
  double sum = 0;
  Femtoseconds begin = 0;
  for (const double part : windows.parts(series, 1, end)) {
    sum += part * static_cast<double>(std::min(windows.window(), end - begin));
    begin += windows.window();
  }
  return sum;
}

TEST(CountSamples, KeepsTheTotalForAnyNumberOfSamples) {
  constexpr Femtoseconds kUnit = 3;
  constexpr std::int64_t kSteps = 10'000;
  CountSamples samples;
  std::vector<std::int64_t> totals{0, 0};
  samples.start(0, 10, totals);
  for (std::int64_t step = 1; step <= kSteps; ++step) {
    const Femtoseconds now = step * 10;
    totals[0] = 2 * step;                       // grows evenly
    totals[1] = step > kSteps / 2 ? 1'000 : 0;  // grows in a single step
    if (samples.due(now)) samples.take(now, totals);
  }
  const Femtoseconds end = kSteps * 10;
  samples.take(end, totals);
  TimeWindows windows(2, 10);
  samples.add_to(windows, 2, {kUnit, kUnit});
  EXPECT_NEAR(sum_of(windows, 0, end), kUnit * 2 * kSteps, 1e-6);
  EXPECT_NEAR(sum_of(windows, 1, end), kUnit * 1'000, 1e-6);
  for (const double part : windows.parts(0, 1, end)) EXPECT_NEAR(part, 0.6, 0.05);
}

TEST(CountSamples, SpreadsATotalThatRunsAheadOfItsTime) {
  CountSamples samples;
  samples.start(0, 10, {0});
  samples.take(10, {30});
  samples.take(20, {30});
  samples.take(30, {30});
  samples.take(40, {30});
  TimeWindows windows(1, 10);
  samples.add_to(windows, 1, {1});
  EXPECT_EQ(windows.parts(0, 1, 40), (std::vector<double>{1, 1, 1, 0}));
}

}  // namespace
}  // namespace coppice::system
