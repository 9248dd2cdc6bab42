#include "accelerator/array/product_check.h"

#include <vector>

#include <fmt/format.h>

#include "base/error.h"

namespace coppice::accelerator {
namespace {

constexpr std::int64_t kMostValues = std::int64_t{1} << 29;

std::int64_t checked(std::int64_t m, std::int64_t k, std::int64_t n) {
  const double values = static_cast<double>(m) * static_cast<double>(k) +
                        static_cast<double>(k) * static_cast<double>(n) +
                        static_cast<double>(m) * static_cast<double>(n);
  if (values <= static_cast<double>(kMostValues)) return m;
  throw UnsupportedError(
      fmt::format("a product of {} x {} by {} x {} takes more than 2 GiB of operands to compute: the formula "
                  "has its cycles",
                  m, k, k, n));
}

// Whole numbers from -3 to 3, so that every sum is exact in fp32; a step of a linear congruence each.
void draw(Matrix<float>& matrix, std::uint32_t state) {
  for (std::int64_t row = 0; row < matrix.rows(); ++row) {
    for (std::int64_t column = 0; column < matrix.columns(); ++column) {
      state = state * 1'664'525U + 1'013'904'223U;
      matrix.at(row, column) = static_cast<float>(static_cast<int>((state >> 16) % 7) - 3);
    }
  }
}

}  // namespace

CheckedProduct::CheckedProduct(const SystolicArray& array, std::int64_t m, std::int64_t k, std::int64_t n,
                               std::int64_t number)
    : array_(array), a_(checked(m, k, n), k), b_(k, n), out_(m, n) {
  const auto seed = static_cast<std::uint32_t>(2 * number);
  draw(a_, seed + 1);
  draw(b_, seed + 2);
}

PeCycles CheckedProduct::compute(std::int64_t m, std::int64_t height, std::int64_t k, std::int64_t depth,
                                 std::int64_t n, std::int64_t width) {
  return run_product<float>(array_, a_.view().block(m, k, height, depth), b_.view().block(k, n, depth, width),
                            out_.view().block(m, n, height, width));
}

void CheckedProduct::check() const {
  std::vector<float> row(static_cast<std::size_t>(out_.columns()));
  for (std::int64_t i = 0; i < out_.rows(); ++i) {
    std::fill(row.begin(), row.end(), 0.0F);
    for (std::int64_t k = 0; k < a_.columns(); ++k) {
      const float factor = a_.at(i, k);
      const float* from = &b_.at(k, 0);
      for (std::size_t j = 0; j < row.size(); ++j) row[j] += factor * from[j];
    }
    for (std::size_t j = 0; j < row.size(); ++j) {
      const float sum = out_.at(i, static_cast<std::int64_t>(j));
      if (sum == row[j]) continue;
      throw ModelError(fmt::format("the array computed {} for row {}, column {} of a product, which is {}",
                                   sum, i, j, row[j]));
    }
  }
}

}  // namespace coppice::accelerator
