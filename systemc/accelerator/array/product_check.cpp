#include "accelerator/array/product_check.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "base/error.h"

namespace coppice::accelerator {
namespace {

constexpr std::int64_t kMostValues = std::int64_t{1} << 29;
constexpr double kMostExact = 1 << 24;  // fp32 represents all whole numbers up to this value exactly
constexpr int kMostFp32 = 4095;
constexpr int kMostBf16 = 255;
// A factor that changes a value by less than half the distance to the next bf16 value, so that rounding to
// bf16 restores the value.
constexpr float kOff = 1 + 1.0F / 1024;

void require_room(std::int64_t m, std::int64_t k, std::int64_t n) {
  const double values = static_cast<double>(m) * static_cast<double>(k) +
                        static_cast<double>(k) * static_cast<double>(n) +
                        static_cast<double>(m) * static_cast<double>(n);
  if (values <= static_cast<double>(kMostValues)) return;
  throw UnsupportedError(
      fmt::format("a product of {} x {} by {} x {} has more than 2 GiB of operands: use timing "
                  "formula instead of array",
                  m, k, k, n));
}

// A range of whole numbers: from -most to most, or, for int8, all values of a byte.
struct Range {
  int lowest = 0;
  int count = 0;
};

Range range(ElementType type, std::int64_t k) {
  if (type == ElementType::kInt8) return {-128, 256};
  const int largest = type == ElementType::kBf16 ? kMostBf16 : kMostFp32;
  const int most = std::clamp(static_cast<int>(std::sqrt(kMostExact / static_cast<double>(k))), 1, largest);
  return {-most, 2 * most + 1};
}

// Generates values with a linear congruential generator, one step per value.
template <typename Value>
void draw(Matrix<Value>& matrix, ElementType type, Range range, std::uint32_t state) {
  for (std::int64_t row = 0; row < matrix.rows(); ++row) {
    for (std::int64_t column = 0; column < matrix.columns(); ++column) {
      state = state * 1'664'525U + 1'013'904'223U;
      const int whole =
          static_cast<int>((state >> 16) % static_cast<std::uint32_t>(range.count)) + range.lowest;
      auto value = static_cast<Value>(whole);
      if (type == ElementType::kBf16) {
        value = static_cast<Value>(round_to_bf16(static_cast<float>(whole) * kOff));
      }
      matrix.at(row, column) = value;
    }
  }
}

// Rounds the values back to the whole numbers from which they were generated.
template <typename Value>
void make_whole(Matrix<Value>& matrix) {
  if constexpr (std::is_floating_point_v<Value>) {
    for (std::int64_t row = 0; row < matrix.rows(); ++row) {
      for (std::int64_t column = 0; column < matrix.columns(); ++column) {
        matrix.at(row, column) = std::nearbyint(matrix.at(row, column));
      }
    }
  }
}

// Adds a product to a sum as the PEs do: 32-bit integers wrap.
template <typename Value>
Value added(Value sum, Value a, Value b) {
  if constexpr (std::is_floating_point_v<Value>) {
    return sum + a * b;
  } else {
    return static_cast<Value>(static_cast<std::uint32_t>(sum) +
                              static_cast<std::uint32_t>(a) * static_cast<std::uint32_t>(b));
  }
}

}  // namespace

CheckedProduct::Either CheckedProduct::zeros(ElementType type, std::int64_t m, std::int64_t k,
                                             std::int64_t n) {
  require_room(m, k, n);
  if (type != ElementType::kInt8) return Matrices<float>{{m, k}, {k, n}, {m, n}};
  return Matrices<std::int32_t>{{m, k}, {k, n}, {m, n}};
}

CheckedProduct::CheckedProduct(const SystolicArray& array, ElementType type, std::int64_t m, std::int64_t k,
                               std::int64_t n, std::int64_t number)
    : array_(array), type_(type), matrices_(zeros(type, m, k, n)) {
  const auto seed = static_cast<std::uint32_t>(2 * number);
  std::visit(
      [&](auto& matrices) {
        draw(matrices.a, type, range(type, k), seed + 1);
        draw(matrices.b, type, range(type, k), seed + 2);
      },
      matrices_);
}

PeCycles CheckedProduct::compute(std::int64_t m, std::int64_t height, std::int64_t k, std::int64_t depth,
                                 std::int64_t n, std::int64_t width) {
  const auto run = [&]<typename Value>(Matrices<Value>& matrices) {
    const MatrixView<const Value> a = matrices.a.view();
    const MatrixView<const Value> b = matrices.b.view();
    return run_product<Value>(array_, a.block(m, k, height, depth), b.block(k, n, depth, width),
                              matrices.out.view().block(m, n, height, width));
  };
  return std::visit(run, matrices_);
}

void CheckedProduct::check() {
  std::visit([this](auto& matrices) { check(matrices); }, matrices_);
}

template <typename Value>
void CheckedProduct::check(Matrices<Value>& matrices) const {
  make_whole(matrices.a);
  make_whole(matrices.b);
  std::vector<Value> row(static_cast<std::size_t>(matrices.out.columns()));
  for (std::int64_t i = 0; i < matrices.out.rows(); ++i) {
    std::fill(row.begin(), row.end(), Value{});
    for (std::int64_t k = 0; k < matrices.a.columns(); ++k) {
      const Value factor = matrices.a.at(i, k);
      const Value* const from = &matrices.b.at(k, 0);
      for (std::size_t j = 0; j < row.size(); ++j) row[j] = added(row[j], factor, from[j]);
    }
    for (std::size_t j = 0; j < row.size(); ++j) {
      const Value sum = matrices.out.at(i, static_cast<std::int64_t>(j));
      if (sum == row[j]) continue;
      throw ModelError(
          fmt::format("at row {}, column {} of a product of {} operands, the array computed {} instead of {}",
                      i, j, to_string(type_), sum, row[j]));
    }
  }
}

}  // namespace coppice::accelerator
