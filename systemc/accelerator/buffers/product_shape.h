#pragma once

#include <cstdint>

#include "accelerator/buffers/operand_blocks.h"

namespace coppice::accelerator {

// The dimensions of the product of an m x k and a k x n matrix, or of one of its tiles; or the number of
// blocks along each dimension.
struct ProductShape {
  std::int64_t m = 0;
  std::int64_t k = 0;
  std::int64_t n = 0;
};

inline ProductShape shape_of(const ProductOperands& operands) {
  return {operands.input.rows(), operands.input.columns(), operands.weight.columns()};
}

// The number of blocks along m, k and n if `whole` is cut into tiles that are no larger than `tile`.
inline ProductShape blocks(const ProductShape& whole, const ProductShape& tile) {
  const auto count = [](std::int64_t side, std::int64_t size) { return (side + size - 1) / size; };
  return {count(whole.m, tile.m), count(whole.k, tile.k), count(whole.n, tile.n)};
}

}  // namespace coppice::accelerator
