#pragma once

#include <cstdint>

#include "accelerator/array/operands.h"
#include "accelerator/array/systolic_array.h"
#include "accelerator/array/tile_run.h"

namespace coppice::accelerator {

// A product with operands that are drawn, which an array computes block by block, cycle by cycle.
class CheckedProduct {
 public:
  // m x k by k x n, its operands drawn by `number`. Throws UnsupportedError if that takes more than 2 GiB.
  CheckedProduct(const SystolicArray& array, std::int64_t m, std::int64_t k, std::int64_t n,
                 std::int64_t number = 0);

  // Adds the part of the product that the given sides cut out, and returns its cycles.
  PeCycles compute(std::int64_t m, std::int64_t height, std::int64_t k, std::int64_t depth, std::int64_t n,
                   std::int64_t width);
  // Throws ModelError unless what was computed is the product.
  void check() const;

 private:
  const SystolicArray& array_;
  Matrix<float> a_;
  Matrix<float> b_;
  Matrix<float> out_;
};

}  // namespace coppice::accelerator
