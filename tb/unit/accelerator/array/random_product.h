#pragma once

#include <cstdint>

#include <rapidcheck.h>

#include "accelerator/array/operands.h"
#include "accelerator/array/systolic_array.h"

namespace coppice::accelerator {

template <typename Value>
Matrix<Value> any_values(std::int64_t rows, std::int64_t columns, std::int64_t lowest, std::int64_t highest) {
  Matrix<Value> matrix(rows, columns);
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < columns; ++j) {
      matrix.at(i, j) = static_cast<Value>(*rc::gen::inRange<std::int64_t>(lowest, highest + 1));
    }
  }
  return matrix;
}

inline Dataflow any_dataflow() {
  return *rc::gen::element(Dataflow::kOutputStationary, Dataflow::kWeightStationary,
                           Dataflow::kInputStationary);
}

// The product computed directly from its definition, with sums of type Sum.
template <typename Sum, typename Value>
Matrix<Sum> reference_product(const Matrix<Value>& a, const Matrix<Value>& b) {
  Matrix<Sum> product(a.rows(), b.columns());
  for (std::int64_t i = 0; i < a.rows(); ++i) {
    for (std::int64_t j = 0; j < b.columns(); ++j) {
      for (std::int64_t k = 0; k < a.columns(); ++k) {
        product.at(i, j) += static_cast<Sum>(a.at(i, k)) * static_cast<Sum>(b.at(k, j));
      }
    }
  }
  return product;
}

}  // namespace coppice::accelerator
