#pragma once

#include <cstdint>
#include <variant>

#include "accelerator/array/operands.h"
#include "accelerator/array/systolic_array.h"
#include "accelerator/array/tile_run.h"

namespace coppice::accelerator {

// A product of random operands that an array computes block by block, cycle by cycle. The operands are whole
// numbers whose sums need no rounding: any value for int8, and a limited range for fp32 and bf16. bf16
// operands are passed as nearby fp32 values, which become whole numbers only when they are rounded.
class CheckedProduct {
 public:
  // The product of an m x k and a k x n matrix, whose values are generated from the seed `number`. Throws
  // UnsupportedError if the operands need more than 2 GiB.
  CheckedProduct(const SystolicArray& array, ElementType type, std::int64_t m, std::int64_t k, std::int64_t n,
                 std::int64_t number = 0);

  // Adds the given block of the product and returns the number of cycles that the array needed.
  PeCycles compute(std::int64_t m, std::int64_t height, std::int64_t k, std::int64_t depth, std::int64_t n,
                   std::int64_t width);
  // Throws ModelError unless the computed values equal the exact product. Call this after the last block.
  void check();

 private:
  template <typename Value>
  struct Matrices {
    Matrix<Value> a;
    Matrix<Value> b;
    Matrix<Value> out;
  };
  using Either = std::variant<Matrices<float>, Matrices<std::int32_t>>;

  static Either zeros(ElementType type, std::int64_t m, std::int64_t k, std::int64_t n);
  template <typename Value>
  void check(Matrices<Value>& matrices) const;

  const SystolicArray& array_;
  ElementType type_;
  Either matrices_;
};

}  // namespace coppice::accelerator
