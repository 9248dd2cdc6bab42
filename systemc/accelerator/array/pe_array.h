#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

namespace coppice::accelerator {

// The PEs of a systolic array of rows x columns, simulated one cycle at a time. A PE has three registers and
// a multiply-accumulator. Each register is stored for all PEs in row-major order, so that a cycle of the
// array is three passes over contiguous values. rtl/accelerator/pe_array.v is the register-exact Verilog
// equivalent. The registers are:
//   left   the operand that moves right from the left edge
//   upper  the operand that moves down from the upper edge, or is stationary
//   sum    the sum, which is stationary or moves up; row 0 outputs it at the upper edge
// Value is float (fp32, and bf16 values with fp32 sums) or std::int32_t (int8 with int32 sums that wrap).
template <typename Value>
class PeArray {
 public:
  PeArray(int rows, int columns)
      : rows_(static_cast<std::size_t>(rows)),
        columns_(static_cast<std::size_t>(columns)),
        left_(rows_ * columns_),
        upper_(rows_ * columns_),
        sum_(rows_ * columns_) {}

  std::size_t rows() const { return rows_; }
  std::size_t columns() const { return columns_; }

  // Simulates a cycle of an output-stationary stream. Operands move right and down, and every PE adds the
  // product of the two operands that arrive. `left` contains one value per row, and `upper` one value per
  // column.
  void multiply_in_place(std::span<const Value> left, std::span<const Value> upper) {
    move_right(left);
    move_down(upper);
    for (std::size_t i = 0; i < sum_.size(); ++i) sum_[i] = multiply_add(left_[i], upper_[i], sum_[i]);
  }

  // Simulates a cycle of a weight- or input-stationary stream. Operands move right. Every PE multiplies its
  // stationary operand by the arriving operand and adds the product to the sum of the PE below it.
  void multiply_past(std::span<const Value> left) {
    move_right(left);
    const std::size_t above = sum_.size() - columns_;
    for (std::size_t i = 0; i < above; ++i) {
      sum_[i] = multiply_add(left_[i], upper_[i], sum_[i + columns_]);
    }
    for (std::size_t i = above; i < sum_.size(); ++i) sum_[i] = multiply_add(left_[i], upper_[i], Value{});
  }

  // Simulates a cycle that shifts in stationary operands from above and discards all other contents.
  void load(std::span<const Value> upper) {
    move_down(upper);
    std::fill(left_.begin(), left_.end(), Value{});
    std::fill(sum_.begin(), sum_.end(), Value{});
  }

  // Simulates a cycle that shifts the sums up by one row and discards the operands. Zeros enter from below.
  void drain() {
    std::copy(sum_.begin() + static_cast<std::ptrdiff_t>(columns_), sum_.end(), sum_.begin());
    std::fill(sum_.end() - static_cast<std::ptrdiff_t>(columns_), sum_.end(), Value{});
    std::fill(left_.begin(), left_.end(), Value{});
    std::fill(upper_.begin(), upper_.end(), Value{});
  }

  // The sums at the upper edge.
  std::span<const Value> top() const { return {sum_.data(), columns_}; }
  // Registers of all PEs in row-major order, for observers.
  std::span<const Value> left() const { return left_; }
  std::span<const Value> upper() const { return upper_; }
  std::span<const Value> sums() const { return sum_; }

 private:
  static Value multiply_add(Value a, Value b, Value sum) {
    if constexpr (std::is_floating_point_v<Value>) {
      return sum + a * b;
    } else {
      using Wrapping = std::make_unsigned_t<Value>;
      return static_cast<Value>(static_cast<Wrapping>(sum) +
                                static_cast<Wrapping>(a) * static_cast<Wrapping>(b));
    }
  }

  void move_right(std::span<const Value> edge) {
    std::memmove(left_.data() + 1, left_.data(), (left_.size() - 1) * sizeof(Value));
    for (std::size_t row = 0; row < rows_; ++row) left_[row * columns_] = edge[row];
  }

  void move_down(std::span<const Value> edge) {
    std::memmove(upper_.data() + columns_, upper_.data(), (upper_.size() - columns_) * sizeof(Value));
    std::copy(edge.begin(), edge.end(), upper_.begin());
  }

  std::size_t rows_;
  std::size_t columns_;
  std::vector<Value> left_;
  std::vector<Value> upper_;
  std::vector<Value> sum_;
};

}  // namespace coppice::accelerator
