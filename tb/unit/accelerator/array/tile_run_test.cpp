#include "accelerator/array/tile_run.h"

#include <cmath>
#include <limits>
#include <stdexcept>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "array/random_product.h"

namespace coppice::accelerator {
namespace {

using workload::Gemm;

// Random values of both signs and of many magnitudes, so that rounding matters.
Matrix<float> any_reals(std::int64_t rows, std::int64_t columns, bool bf16) {
  Matrix<float> matrix(rows, columns);
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < columns; ++j) {
      const auto fraction = static_cast<float>(*rc::gen::inRange(-(1 << 24), 1 << 24));
      const float value = std::ldexp(fraction, *rc::gen::inRange(-40, 5));
      matrix.at(i, j) = bf16 ? round_to_bf16(value) : value;
    }
  }
  return matrix;
}

// The product, summed in the array's order. With stationary outputs, sums run along the depth. With moving
// sums, each tile adds from its last row to its first, and the tiles follow one another along the depth.
Matrix<float> sums_in_order(const SystolicArray& array, const Matrix<float>& a, const Matrix<float>& b) {
  Matrix<float> sums(a.rows(), b.columns());
  const std::int64_t depth = a.columns();
  for (std::int64_t i = 0; i < a.rows(); ++i) {
    for (std::int64_t j = 0; j < b.columns(); ++j) {
      if (array.dataflow() == Dataflow::kOutputStationary) {
        for (std::int64_t k = 0; k < depth; ++k) sums.at(i, j) += a.at(i, k) * b.at(k, j);
        continue;
      }
      for (std::int64_t tile = 0; tile < depth; tile += array.rows()) {
        float sum = 0;
        for (std::int64_t k = std::min(tile + array.rows(), depth) - 1; k >= tile; --k) {
          sum += a.at(i, k) * b.at(k, j);
        }
        sums.at(i, j) += sum;
      }
    }
  }
  return sums;
}

struct Case {
  SystolicArray array{1, 1, Dataflow::kOutputStationary};
  std::int64_t m = 1, k = 1, n = 1;
  Gemm gemm() const { return {m, k, n}; }
};

Case any_case() {
  const auto side = [] { return *rc::gen::inRange(1, 9); };
  const auto size = [] { return *rc::gen::inRange<std::int64_t>(1, 30); };
  const int rows = side();
  const int columns = side();
  const int pe_latency = *rc::gen::inRange(0, 4);
  return {SystolicArray(rows, columns, any_dataflow(), Convention::kCausal, pe_latency), size(), size(),
          size()};
}

RC_GTEST_PROP(TileRun, TakesTheCyclesOfTheFormulaAndComputesTheProduct, ()) {
  const Case c = any_case();
  const auto a = any_values<float>(c.m, c.k, -99, 99);
  const auto b = any_values<float>(c.k, c.n, -99, 99);
  Matrix<float> out(c.m, c.n);
  RC_ASSERT(run_product<float>(c.array, a.view(), b.view(), out.view()) == c.array.cycles(c.gemm()));
  RC_ASSERT(out == reference_product<float>(a, b));  // integer values: exact in any order
}

RC_GTEST_PROP(TileRun, MultipliesInt8IntoInt32, ()) {
  const Case c = any_case();
  const auto a = any_values<std::int32_t>(c.m, c.k, -128, 127);
  const auto b = any_values<std::int32_t>(c.k, c.n, -128, 127);
  Matrix<std::int32_t> out(c.m, c.n);
  RC_ASSERT(run_product<std::int32_t>(c.array, a.view(), b.view(), out.view()) == c.array.cycles(c.gemm()));
  RC_ASSERT(out == reference_product<std::int32_t>(a, b));
}

RC_GTEST_PROP(TileRun, RoundsEverySumLikeTheHostInTheArraysOrder, ()) {
  const Case c = any_case();
  const bool bf16 = *rc::gen::arbitrary<bool>();
  const Matrix<float> a = any_reals(c.m, c.k, bf16);
  const Matrix<float> b = any_reals(c.k, c.n, bf16);
  Matrix<float> out(c.m, c.n);
  run_product<float>(c.array, a.view(), b.view(), out.view());
  RC_ASSERT(out == sums_in_order(c.array, a, b));
  // The result must also be close to the exact product. The error of a sum is bounded by one rounding per
  // addition and one per product.
  const Matrix<double> exact = reference_product<double>(a, b);
  for (std::int64_t i = 0; i < c.m; ++i) {
    for (std::int64_t j = 0; j < c.n; ++j) {
      double magnitude = 0;
      for (std::int64_t k = 0; k < c.k; ++k) magnitude += std::abs(double{a.at(i, k)} * double{b.at(k, j)});
      const double rounding = std::numeric_limits<float>::epsilon() * static_cast<double>(2 * c.k + 2);
      RC_ASSERT(std::abs(double{out.at(i, j)} - exact.at(i, j)) <= magnitude * rounding);
    }
  }
}

// The expected values were computed by hand for a 2x2 output-stationary array and a depth of 1.
TEST(TileRun, SkewsLanesByOneCycle) {
  Matrix<float> a(2, 1);
  Matrix<float> b(1, 2);
  a.at(0, 0) = 2;
  a.at(1, 0) = 3;
  b.at(0, 0) = 5;
  b.at(0, 1) = 7;
  Matrix<float> out(2, 2);
  TileRun<float> run(Dataflow::kOutputStationary, {a.view(), b.view(), out.view()});
  EXPECT_EQ(run.left_edge(), (std::vector<float>{2, 0}));
  EXPECT_EQ(run.upper_edge(), (std::vector<float>{5, 0}));
  run.step();
  EXPECT_EQ(run.left_edge(), (std::vector<float>{0, 3}));
  EXPECT_EQ(run.upper_edge(), (std::vector<float>{0, 7}));
  EXPECT_EQ(run.array().sums()[0], 10);
  run.step();
  EXPECT_EQ(run.array().sums()[1], 14);
  EXPECT_EQ(run.array().sums()[2], 15);
  EXPECT_EQ(run.array().sums()[3], 0);
  run.step();
  EXPECT_EQ(run.array().sums()[3], 21);
  EXPECT_EQ(run.phase(), TileRun<float>::Phase::kDrain);
  run.step();
  EXPECT_EQ(out.at(0, 1), 14);
  EXPECT_EQ(out.at(1, 1), 0);
  run.step();
  EXPECT_EQ(out.at(1, 1), 21);
  EXPECT_EQ(run.phase(), TileRun<float>::Phase::kDone);
  EXPECT_EQ(run.cycles(), 5);
  EXPECT_THROW(run.step(), std::logic_error);
}

TEST(TileRun, SumsOfInt8WrapAndAreAddedToExistingSums) {
  Matrix<std::int32_t> one(1, 1);
  one.at(0, 0) = 127;
  Matrix<std::int32_t> out(1, 1);
  out.at(0, 0) = std::numeric_limits<std::int32_t>::max();
  run_product<std::int32_t>({4, 4, Dataflow::kWeightStationary}, one.view(), one.view(), out.view());
  EXPECT_EQ(out.at(0, 0), std::numeric_limits<std::int32_t>::min() + 127 * 127 - 1);
}

TEST(TileRun, KeepsInfinitiesWhereTheyBelong) {
  Matrix<float> a(3, 2);
  Matrix<float> b(2, 3);
  for (std::int64_t i = 0; i < 3; ++i) {
    for (std::int64_t k = 0; k < 2; ++k) a.at(i, k) = b.at(k, i) = 1;
  }
  a.at(1, 0) = std::numeric_limits<float>::infinity();
  for (const Dataflow dataflow : {Dataflow::kOutputStationary, Dataflow::kWeightStationary}) {
    Matrix<float> out(3, 3);
    run_product<float>({2, 2, dataflow}, a.view(), b.view(), out.view());
    for (std::int64_t j = 0; j < 3; ++j) {
      EXPECT_EQ(out.at(0, j), 2);
      EXPECT_TRUE(std::isinf(out.at(1, j)));
      EXPECT_EQ(out.at(2, j), 2);
    }
  }
}

TEST(TileRun, RejectsSizesThatDoNotAgree) {
  const Matrix<float> a(2, 3);
  Matrix<float> out(2, 2);
  const SystolicArray array(2, 2, Dataflow::kOutputStationary);
  EXPECT_THROW(run_product<float>(array, a.view(), a.view(), out.view()), std::invalid_argument);
  EXPECT_THROW(TileRun<float>(Dataflow::kOutputStationary, {a.view(), a.view(), out.view()}),
               std::invalid_argument);
  EXPECT_THROW(TileRun<float>(Dataflow::kWeightStationary, {{}, {}, out.view()}), std::invalid_argument);
}

TEST(Operands, RoundToTheNearestBf16) {
  EXPECT_EQ(round_to_bf16(1.0F), 1.0F);
  EXPECT_EQ(round_to_bf16(1.0F + 1.0F / 256), 1.0F);  // a tie, rounded to even
  EXPECT_EQ(round_to_bf16(1.0F + 3.0F / 256), 1.0F + 4.0F / 256);
  EXPECT_EQ(round_to_bf16(-1.0F - 1.1F / 256), -1.0F - 2.0F / 256);
  EXPECT_TRUE(std::isinf(round_to_bf16(std::numeric_limits<float>::max())));
  EXPECT_TRUE(std::isnan(round_to_bf16(std::numeric_limits<float>::quiet_NaN())));
}

}  // namespace
}  // namespace coppice::accelerator
