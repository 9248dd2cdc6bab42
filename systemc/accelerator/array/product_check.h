#pragma once

#include <cstdint>
#include <variant>

#include "accelerator/array/operands.h"
#include "accelerator/array/systolic_array.h"
#include "accelerator/array/tile_run.h"

namespace coppice::accelerator {

// A product of random operands, which an array computes block by block, cycle by cycle. They are whole
// numbers whose sums need no rounding: fp32 and bf16 as large as that allows, int8 of any value; bf16
// operands are given as fp32 values nearby, which only rounding makes whole.
class CheckedProduct {
 public:
  // m x k by k x n, its operands drawn by `number`. Throws UnsupportedError if that takes more than 2 GiB.
  CheckedProduct(const SystolicArray& array, ElementType type, std::int64_t m, std::int64_t k, std::int64_t n,
                 std::int64_t number = 0);

  // Adds the part of the product that the given sides cut out, and returns its cycles.
  PeCycles compute(std::int64_t m, std::int64_t height, std::int64_t k, std::int64_t depth, std::int64_t n,
                   std::int64_t width);
  // Throws ModelError unless the computed values are the product; nothing may be computed after it.
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
