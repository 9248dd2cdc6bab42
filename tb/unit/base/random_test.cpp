#include "base/random.h"

#include <array>
#include <cmath>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace coppice {
namespace {

RC_GTEST_PROP(Random, StaysBelowItsBound, (std::uint64_t seed)) {
  const auto bound = *rc::gen::suchThat(rc::gen::arbitrary<std::uint64_t>(), [](auto b) { return b > 0; });
  Random random(seed);
  for (int i = 0; i < 100; ++i) RC_ASSERT(random.below(bound) < bound);
}

RC_GTEST_PROP(Random, RepeatsItselfForOneSeedAndStream, (std::uint64_t seed, std::uint64_t stream)) {
  Random first(seed, stream);
  Random second(seed, stream);
  for (int i = 0; i < 100; ++i) RC_ASSERT(first.next() == second.next());
}

TEST(Random, EveryStreamHasItsOwnSequence) {
  Random first(1, 0);
  Random second(1, 1);
  int equal = 0;
  for (int i = 0; i < 1000; ++i) equal += first.next() == second.next() ? 1 : 0;
  EXPECT_EQ(equal, 0);
}

TEST(Random, EveryValueIsEquallyFrequent) {
  constexpr int kDraws = 600'000;
  Random random(42);
  std::array<int, 6> count{};
  for (int i = 0; i < kDraws; ++i) ++count.at(random.below(6));
  double chi_square = 0;
  for (const int c : count) chi_square += std::pow(c - kDraws / 6.0, 2) / (kDraws / 6.0);
  EXPECT_LT(chi_square, 20.5);  // 5 degrees of freedom, p = 0.001; the seed is fixed
}

TEST(Random, BernoulliHitsItsProbability) {
  Random random(7);
  int hits = 0;
  for (int i = 0; i < 1'000'000; ++i) hits += random.bernoulli(0.3) ? 1 : 0;
  EXPECT_NEAR(hits, 300'000, 4 * std::sqrt(1e6 * 0.3 * 0.7));
}

}  // namespace
}  // namespace coppice
