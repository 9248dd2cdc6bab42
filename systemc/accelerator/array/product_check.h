#pragma once

#include <cstdint>
#include <variant>

#include "accelerator/array/operands.h"
#include "accelerator/array/systolic_array.h"
#include "accelerator/array/tile_run.h"

namespace coppice::accelerator {

// A product of random operands that an array computes block by block, cycle by cycle. The operands are whole
// numbers whose sums need no rounding: any value for int8, a limited range for fp32 and bf16. bf16 operands
// are given as nearby fp32 values that become whole only by rounding.
class CheckedProduct {
 public:
  // A product m x k by k x n with operands generated from `number`. Throws UnsupportedError if they exceed 2
  // GiB.
  CheckedProduct(const SystolicArray& array, ElementType type, std::int64_t m, std::int64_t k, std::int64_t n,
                 std::int64_t number = 0);

  // Adds the given block of the product and returns the number of cycles.
  PeCycles compute(std::int64_t m, std::int64_t height, std::int64_t k, std::int64_t depth, std::int64_t n,
                   std::int64_t width);
  // Throws ModelError unless the computed values equal the product. Call this after the last block.
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
