#include "schedule/compile/cost_model.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

namespace coppice::schedule {
namespace {

// A step takes 10 us plus 1 ns per byte; there are 8 accelerators.
constexpr CostModel kModel{.alpha_ns = 10'000, .beta_ns_per_byte = 1, .accelerators = 8};

TEST(CostModel, ARingTakesTheTimeOfTwoAllGathers) {
  // Eq. (1): 7 steps, which take 10,000 ns plus 1 ns for each of 80,000 / 8 bytes.
  EXPECT_DOUBLE_EQ(kModel.all_gather_ns(80'000), 7 * 20'000.0);
  EXPECT_DOUBLE_EQ(kModel.ring_ns(80'000), 14 * 20'000.0);
}

TEST(CostModel, TreeStepsByHand) {
  // Eq. (3): 3 + 5 steps, which take 10,000 ns plus 1 ns for each of 80,000 / 5 bytes.
  EXPECT_DOUBLE_EQ(kModel.tree_phase_ns(80'000, 5), 8 * 26'000.0);
  // Eq. (6): 6 + 5 steps, each as long as in Eq. (3).
  EXPECT_DOUBLE_EQ(kModel.overlapped_tree_ns(80'000, 5), 11 * 26'000.0);
}

// Substituting Eq. (4) into Eqs. (3) and (6) gives the closed forms (5) and (7), provided that Eq. (4) is at
// least 1.
RC_GTEST_PROP(CostModel, ClosedFormsAreThoseOfThePaper, ()) {
  const double alpha = *rc::gen::inRange(1, 100'000);
  const double bytes = *rc::gen::inRange(1'000'000, 1'000'000'000);
  const CostModel model{alpha, 0.04, 1 << *rc::gen::inRange(1, 11)};
  const double log_p = std::log2(model.accelerators);
  const double beta_n = model.beta_ns_per_byte * bytes;
  RC_PRE(log_p * beta_n > alpha);
  const double root = std::sqrt(alpha * beta_n * log_p);
  const double tree = 2 * log_p * alpha + 2 * beta_n + 4 * root;
  const double overlapped = 2 * log_p * alpha + beta_n + 3 * root;
  RC_ASSERT(std::abs(model.tree_ns(bytes) / tree - 1) < 1e-9);
  RC_ASSERT(std::abs(model.overlapped_tree_ns(bytes) / overlapped - 1) < 1e-9);
}

RC_GTEST_PROP(CostModel, EquationFourIsTheBestForEquationThree, ()) {
  const double bytes = *rc::gen::inRange(1'000'000, 1'000'000'000);
  const double best = kModel.optimal_chunks(bytes);
  const double factor = 1 + *rc::gen::inRange(1, 100) / 50.0;
  RC_ASSERT(kModel.tree_phase_ns(bytes, best) <= kModel.tree_phase_ns(bytes, best * factor));
  RC_ASSERT(kModel.tree_phase_ns(bytes, best) <= kModel.tree_phase_ns(bytes, best / factor));
}

// With alpha / beta = 621 kB, the paper's equations give a gain of 1.75 at 64 MB and of 1.86 at 256 MB.
TEST(CostModel, AgreesWithThePapersGainFromOverlap) {
  const CostModel model{.alpha_ns = 621'000, .beta_ns_per_byte = 1, .accelerators = 8};
  const double mib = 1048576;
  EXPECT_NEAR(model.tree_ns(64 * mib) / model.overlapped_tree_ns(64 * mib), 1.75, 0.005);
  EXPECT_NEAR(model.tree_ns(256 * mib) / model.overlapped_tree_ns(256 * mib), 1.86, 0.005);
}

// The example of Fig. 5: with four nodes and four chunks, a tree takes 10 steps, or 7 if its phases overlap.
TEST(CostModel, CountsTheStepsOfTheWorkedExample) {
  const CostModel steps{.alpha_ns = 1, .beta_ns_per_byte = 0, .accelerators = 4};
  EXPECT_DOUBLE_EQ(pipelined_tree_ns(steps, 2, 4, 0), 10);
  EXPECT_DOUBLE_EQ(pipelined_overlapped_tree_ns(steps, 2, 4, 0), 7);
  EXPECT_DOUBLE_EQ(turnaround_ns(steps, 2, 4, 0), 7);
  EXPECT_DOUBLE_EQ(overlapped_turnaround_ns(steps, 2, 4, 0), 4);
}

TEST(CostModel, ChunksStayWithinTheirLimits) {
  EXPECT_EQ(optimal_chunks(kModel, 1, 1000), 1);
  EXPECT_EQ(optimal_chunks(kModel, 1e12, 1000), 1000);
  EXPECT_EQ(optimal_chunks(kModel, 1e6, 1000), 17);  // sqrt(300)
  EXPECT_EQ(optimal_chunks({.alpha_ns = 0, .beta_ns_per_byte = 1, .accelerators = 8}, 1e6, 64), 64);
}

}  // namespace
}  // namespace coppice::schedule
