#include "accelerator/array/systolic_array.h"

#include <algorithm>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace coppice::accelerator {
namespace {

using workload::Gemm;
using workload::Layer;
using workload::Pass;

SystolicArray array(int rows, int columns, Dataflow dataflow) {
  return {rows, columns, dataflow};
}

// The expected values were computed by hand: a fold of depth K on r rows and c columns takes 2 r + c + K - 2
// cycles.
TEST(SystolicArray, OneFullTileTakesTheFoldFormula) {
  EXPECT_EQ(array(32, 32, Dataflow::kOutputStationary).cycles({32, 100, 32}), 64 + 32 + 100 - 2);
  EXPECT_EQ(array(32, 16, Dataflow::kWeightStationary).cycles({100, 32, 16}), 64 + 16 + 100 - 2);
  EXPECT_EQ(array(32, 16, Dataflow::kInputStationary).cycles({16, 32, 100}), 64 + 16 + 100 - 2);
  EXPECT_EQ(array(1, 1, Dataflow::kOutputStationary).cycles({1, 1, 1}), 2);
}

// ResNet-50's first layer for one sample: 112x112 outputs of depth 147 and 64 filters, on a 32x32 array.
TEST(SystolicArray, TimesAKnownConvolutionInAllDataflows) {
  Layer layer;
  layer.ifmap_height = layer.ifmap_width = 224;
  layer.filter_height = layer.filter_width = 7;
  layer.channels = 3;
  layer.filters = 64;
  layer.stride_height = layer.stride_width = 2;
  layer.padding = 3;
  const Gemm forward = gemm(layer, Pass::kForward, 1);
  // 12544 x 64 outputs: 392 x 2 full tiles of depth 147.
  EXPECT_EQ(array(32, 32, Dataflow::kOutputStationary).cycles(forward), 784 * (64 + 32 + 147 - 2));
  // 147 x 64 weights: 4 x 2 full tiles and 2 tiles of 19 rows, of depth 12544.
  EXPECT_EQ(array(32, 32, Dataflow::kWeightStationary).cycles(forward),
            8 * (64 + 32 + 12544 - 2) + 2 * (38 + 32 + 12544 - 2));
  // 147 x 12544 inputs: 4 x 392 full tiles and 392 tiles of 19 rows, of depth 64.
  EXPECT_EQ(array(32, 32, Dataflow::kInputStationary).cycles(forward),
            1568 * (64 + 32 + 64 - 2) + 392 * (38 + 32 + 64 - 2));
}

TEST(SystolicArray, TimesTheGradientsOfAKnownConvolution) {
  Layer layer;  // 28x28x128 to 14x14x40 with 3x3 filters and stride 2
  layer.ifmap_height = layer.ifmap_width = 28;
  layer.filter_height = layer.filter_width = 3;
  layer.channels = 128;
  layer.filters = 40;
  layer.stride_height = layer.stride_width = 2;
  layer.padding = 1;
  const SystolicArray os = array(32, 32, Dataflow::kOutputStationary);
  // Input gradient: 196 x 1152 values of depth 40, in 6 x 36 full tiles and 36 tiles of 4 rows.
  EXPECT_EQ(os.cycles(gemm(layer, Pass::kInputGradient, 1)),
            216 * (64 + 32 + 40 - 2) + 36 * (8 + 32 + 40 - 2));
  // Weight gradient: 1152 x 40 values of depth 196, in 36 full tiles and 36 tiles of 8 columns.
  EXPECT_EQ(os.cycles(gemm(layer, Pass::kWeightGradient, 1)),
            36 * (64 + 32 + 196 - 2) + 36 * (64 + 8 + 196 - 2));
}

TEST(SystolicArray, RepeatsIndependentProducts) {
  const SystolicArray os = array(8, 4, Dataflow::kOutputStationary);
  EXPECT_EQ(os.cycles({5, 6, 7, 3}), 3 * os.cycles({5, 6, 7}));
  EXPECT_EQ(os.cycles({5, 6, 7, 0}), 0);
}

TEST(SystolicArray, UtilizationIsWorkDividedByCapacity) {
  const SystolicArray os = array(2, 2, Dataflow::kOutputStationary);
  EXPECT_DOUBLE_EQ(os.utilization({2, 6, 2}), 24.0 / (4 * 10));
  EXPECT_EQ(os.utilization({2, 6, 2, 0}), 0);
}

TEST(SystolicArray, RejectsEmptyArraysAndUnknownDataflows) {
  EXPECT_THROW(array(0, 4, Dataflow::kOutputStationary), std::invalid_argument);
  EXPECT_THROW(array(4, 0, Dataflow::kOutputStationary), std::invalid_argument);
  EXPECT_THROW(parse_dataflow("row_stationary"), std::invalid_argument);
  EXPECT_EQ(parse_dataflow("weight_stationary"), Dataflow::kWeightStationary);
}

// A reference simulation that moves every value through every multiply-accumulate unit, cycle by cycle.
using Rows = std::vector<std::vector<long>>;

struct Product {
  Rows values;
  PeCycles cycles = 0;
};

Rows zeros(std::size_t rows, std::size_t columns) {
  return Rows(rows, std::vector<long>(columns, 0));
}

Rows multiply(const Rows& a, const Rows& b) {
  Rows product = zeros(a.size(), b[0].size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < b[0].size(); ++j) {
      for (std::size_t k = 0; k < b.size(); ++k) product[i][j] += a[i][k] * b[k][j];
    }
  }
  return product;
}

// The value that enters lane `lane` in cycle `cycle`. Each lane starts one cycle after the previous lane.
// Zero before the lane's first value and after its last.
long skewed(const std::vector<long>& lane_values, PeCycles cycle, std::size_t lane) {
  const PeCycles at = cycle - static_cast<PeCycles>(lane);
  const bool inside = at >= 0 && at < static_cast<PeCycles>(lane_values.size());
  return inside ? lane_values[static_cast<std::size_t>(at)] : 0;
}

// Simulates one output-stationary tile: rows of `a` move right, columns of `b` move down, and sums stay in
// place. Finally, the sums are shifted out over the upper edge, one row per cycle.
Product output_stationary_tile(const Rows& a, const Rows& b) {
  const std::size_t rows = a.size();
  const std::size_t columns = b[0].size();
  const std::size_t depth = b.size();
  Rows right = zeros(rows, columns);
  Rows down = zeros(rows, columns);
  Rows sums = zeros(rows, columns);
  Product product;
  std::size_t pending = rows * columns * depth;
  Rows done = zeros(rows, columns);
  while (pending > 0) {
    Rows next_right = right;
    Rows next_down = down;
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = 0; j < columns; ++j) {
        std::vector<long> column(depth);
        for (std::size_t k = 0; k < depth; ++k) column[k] = b[k][j];
        next_right[i][j] = j == 0 ? skewed(a[i], product.cycles, i) : right[i][j - 1];
        next_down[i][j] = i == 0 ? skewed(column, product.cycles, j) : down[i - 1][j];
        sums[i][j] += next_right[i][j] * next_down[i][j];
        const PeCycles first = static_cast<PeCycles>(i + j);
        if (product.cycles >= first && done[i][j] < static_cast<long>(depth)) {
          ++done[i][j];
          --pending;
        }
      }
    }
    right = next_right;
    down = next_down;
    ++product.cycles;
  }
  while (product.values.size() < rows) {
    product.values.push_back(sums.front());
    sums.erase(sums.begin());
    ++product.cycles;
  }
  return product;
}

// Simulates one weight-stationary tile. `b` is shifted in from the upper edge, one row per cycle. Then the
// columns of `a`, one per row of the array, move right, and sums move up and out.
Product weight_stationary_tile(const Rows& a, const Rows& b) {
  const std::size_t rows = b.size();
  const std::size_t columns = b[0].size();
  const std::size_t depth = a.size();
  Product product;
  Rows held = zeros(rows, columns);
  for (std::size_t loaded = 0; loaded < rows; ++loaded) {
    std::rotate(held.begin(), held.end() - 1, held.end());
    held.front() = b[rows - 1 - loaded];
    ++product.cycles;
  }
  Rows right = zeros(rows, columns);
  Rows up = zeros(rows, columns);
  product.values = zeros(depth, columns);
  std::vector<std::size_t> out(columns, 0);
  for (PeCycles cycle = 0; std::any_of(out.begin(), out.end(), [&](auto n) { return n < depth; }); ++cycle) {
    Rows next_right = right;
    Rows next_up = up;
    for (std::size_t i = 0; i < rows; ++i) {
      std::vector<long> lane(depth);
      for (std::size_t t = 0; t < depth; ++t) lane[t] = a[t][i];
      for (std::size_t j = 0; j < columns; ++j) {
        next_right[i][j] = j == 0 ? skewed(lane, cycle, rows - 1 - i) : right[i][j - 1];
        next_up[i][j] = held[i][j] * next_right[i][j] + (i + 1 < rows ? up[i + 1][j] : 0);
      }
    }
    right = next_right;
    up = next_up;
    ++product.cycles;
    // The sums leave from the first row of the array. Column j's first sum leaves after rows - 1 + j cycles.
    for (std::size_t j = 0; j < columns; ++j) {
      const PeCycles first = static_cast<PeCycles>(rows - 1 + j);
      if (cycle >= first && out[j] < depth) product.values[out[j]++][j] = up[0][j];
    }
  }
  return product;
}

Rows any_matrix(std::size_t rows, std::size_t columns) {
  Rows matrix = zeros(rows, columns);
  for (auto& row : matrix) {
    for (auto& value : row) value = *rc::gen::inRange<long>(-9, 10);
  }
  return matrix;
}

Rows transposed(const Rows& matrix) {
  Rows result = zeros(matrix[0].size(), matrix.size());
  for (std::size_t i = 0; i < matrix.size(); ++i) {
    for (std::size_t j = 0; j < matrix[0].size(); ++j) result[j][i] = matrix[i][j];
  }
  return result;
}

Rows block(const Rows& matrix, std::size_t row, std::size_t rows, std::size_t column, std::size_t columns) {
  Rows result;
  for (std::size_t i = row; i < std::min(row + rows, matrix.size()); ++i) {
    result.emplace_back(
        matrix[i].begin() + static_cast<std::ptrdiff_t>(column),
        matrix[i].begin() + static_cast<std::ptrdiff_t>(std::min(column + columns, matrix[0].size())));
  }
  return result;
}

void add_at(Rows& sum, const Rows& part, std::size_t row, std::size_t column) {
  for (std::size_t i = 0; i < part.size(); ++i) {
    for (std::size_t j = 0; j < part[0].size(); ++j) sum[row + i][column + j] += part[i][j];
  }
}

// Computes the product a * b tile by tile with stationary outputs.
Product output_stationary(const Rows& a, const Rows& b, std::size_t rows, std::size_t columns) {
  Product product{zeros(a.size(), b[0].size()), 0};
  for (std::size_t i = 0; i < a.size(); i += rows) {
    for (std::size_t j = 0; j < b[0].size(); j += columns) {
      const Product tile =
          output_stationary_tile(block(a, i, rows, 0, b.size()), block(b, 0, b.size(), j, columns));
      add_at(product.values, tile.values, i, j);
      product.cycles += tile.cycles;
    }
  }
  return product;
}

// Computes the product a * b tile by tile with stationary `b`.
Product weight_stationary(const Rows& a, const Rows& b, std::size_t rows, std::size_t columns) {
  Product product{zeros(a.size(), b[0].size()), 0};
  for (std::size_t k = 0; k < b.size(); k += rows) {
    for (std::size_t j = 0; j < b[0].size(); j += columns) {
      const Product tile =
          weight_stationary_tile(block(a, 0, a.size(), k, rows), block(b, k, rows, j, columns));
      add_at(product.values, tile.values, 0, j);
      product.cycles += tile.cycles;
    }
  }
  return product;
}

RC_GTEST_PROP(SystolicArray, CountsTheCyclesOfAMachineThatMovesEveryValue, ()) {
  const auto side = [] { return *rc::gen::inRange<std::size_t>(1, 6); };
  const std::size_t rows = side();
  const std::size_t columns = side();
  const std::size_t m = *rc::gen::inRange<std::size_t>(1, 12);
  const std::size_t k = *rc::gen::inRange<std::size_t>(1, 12);
  const std::size_t n = *rc::gen::inRange<std::size_t>(1, 12);
  const Rows a = any_matrix(m, k);
  const Rows b = any_matrix(k, n);
  const Gemm gemm{static_cast<std::int64_t>(m), static_cast<std::int64_t>(k), static_cast<std::int64_t>(n)};
  const auto timed = [&](Dataflow dataflow) {
    return array(static_cast<int>(rows), static_cast<int>(columns), dataflow).cycles(gemm);
  };

  const Product os = output_stationary(a, b, rows, columns);
  RC_ASSERT(os.values == multiply(a, b));
  RC_ASSERT(timed(Dataflow::kOutputStationary) == os.cycles);

  const Product ws = weight_stationary(a, b, rows, columns);
  RC_ASSERT(ws.values == multiply(a, b));
  RC_ASSERT(timed(Dataflow::kWeightStationary) == ws.cycles);

  // With stationary inputs, the array computes the transposed product, with the inputs in the role of the
  // weights.
  const Product is = weight_stationary(transposed(b), transposed(a), rows, columns);
  RC_ASSERT(is.values == transposed(multiply(a, b)));
  RC_ASSERT(timed(Dataflow::kInputStationary) == is.cycles);
}

}  // namespace
}  // namespace coppice::accelerator
