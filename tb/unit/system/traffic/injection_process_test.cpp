#include "system/traffic/injection_process.h"

#include <gtest/gtest.h>

namespace coppice::system {
namespace {

TEST(InjectionProcess, MeetsItsRateInBurstsOfTheirLength) {
  constexpr int kCycles = 2'000'000;
  InjectionProcess process(0.2, Bursts{0.01, 0.03});
  Random random(11);
  int packets = 0;
  int pairs = 0;
  bool before = false;
  for (int i = 0; i < kCycles; ++i) {
    const bool now = process.creates(random);
    packets += now ? 1 : 0;
    pairs += now && before ? 1 : 0;
    before = now;
  }
  EXPECT_NEAR(packets, 0.2 * kCycles, 0.01 * kCycles);
  // Sources are on for a quarter of the time, and then inject a packet in 0.8 of the cycles. After a packet,
  // a source stays on with probability 0.97, so another packet follows directly with probability 0.97 * 0.8.
  EXPECT_NEAR(static_cast<double>(pairs) / packets, 0.97 * 0.8, 0.01);
  EXPECT_DOUBLE_EQ(InjectionProcess::while_on(0.2, {0.01, 0.03}), 0.8);
}

TEST(InjectionProcess, IsBernoulliWithoutBursts) {
  InjectionProcess process(0.3, std::nullopt);
  Random drawn(5);
  Random same(5);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(process.creates(drawn), same.bernoulli(0.3));
}

}  // namespace
}  // namespace coppice::system
