#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace coppice::accelerator {

// The type of the values that the PEs multiply, and of their sums.
enum class ElementType {
  kFp32,  // fp32 with fp32 sums; products are rounded before they are added
  kBf16,  // bf16 with fp32 sums
  kInt8,  // int8 with int32 sums that wrap
};

const char* to_string(ElementType type);
std::int64_t element_bytes(ElementType type);
// Converts "fp32", "bf16" or "int8" to an ElementType. For other names, throws a std::invalid_argument that
// lists the valid names.
ElementType parse_element_type(const std::string& name);

// Rounds to the nearest bf16 value; ties round to even, and NaNs remain NaNs.
inline float round_to_bf16(float value) {
  auto bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7fffffffU) > 0x7f800000U) return std::bit_cast<float>((bits & 0xffff0000U) | 0x00400000U);
  bits += 0x7fffU + ((bits >> 16) & 1U);
  return std::bit_cast<float>(bits & 0xffff0000U);
}

// A view of a matrix whose values are stored elsewhere. `row_stride` and `column_stride` are counted in
// values.
template <typename T>
struct MatrixView {
  T* values = nullptr;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t row_stride = 0;
  std::int64_t column_stride = 1;

  T& at(std::int64_t row, std::int64_t column) const {
    return values[row * row_stride + column * column_stride];
  }
  operator MatrixView<const T>() const  // NOLINT(google-explicit-constructor): as for pointers
      requires(!std::is_const_v<T>) {
    return {values, rows, columns, row_stride, column_stride};
  }
  MatrixView transposed() const { return {values, columns, rows, column_stride, row_stride}; }
  // Returns the block of `height` x `width` values that begins at (row, column).
  MatrixView block(std::int64_t row, std::int64_t column, std::int64_t height, std::int64_t width) const {
    return {values + row * row_stride + column * column_stride, height, width, row_stride, column_stride};
  }
};

// A matrix that owns its values. They are stored in row-major order and are initially zero.
template <typename T>
class Matrix {
 public:
  Matrix(std::int64_t rows, std::int64_t columns)
      : rows_(rows), columns_(columns), values_(static_cast<std::size_t>(rows * columns)) {}

  std::int64_t rows() const { return rows_; }
  std::int64_t columns() const { return columns_; }
  T& at(std::int64_t row, std::int64_t column) { return view().at(row, column); }
  const T& at(std::int64_t row, std::int64_t column) const { return view().at(row, column); }
  MatrixView<T> view() { return {values_.data(), rows_, columns_, columns_}; }
  MatrixView<const T> view() const { return {values_.data(), rows_, columns_, columns_}; }
  bool operator==(const Matrix&) const = default;

 private:
  std::int64_t rows_;
  std::int64_t columns_;
  std::vector<T> values_;
};

}  // namespace coppice::accelerator
