#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "workload/layer.h"

namespace coppice::accelerator {

// A block of an operand's rows or columns: the number of these rows or columns, and their factor in the
// number of tensor values (OperandGrid).
struct OperandPart {
  std::int64_t places = 0;
  std::int64_t values = 0;
  auto operator<=>(const OperandPart&) const = default;
};

// A matrix operand of a product. It counts the tensor values in its blocks. A plain matrix has one value per
// element. The patches of a convolution (im2col) have a row per output pixel and a column per weight of a
// filter. They contain every input value once for each patch that covers it, and no value where a patch
// covers padding.
class OperandBlocks {
 public:
  static OperandBlocks plain(std::int64_t rows, std::int64_t columns);
  // The patches of one group of `layer` for `samples` samples.
  static OperandBlocks patches(const workload::Layer& layer, std::int64_t samples);
  OperandBlocks transposed() const;

  std::int64_t rows() const { return transposed_ ? columns_ : rows_; }
  std::int64_t columns() const { return transposed_ ? rows_ : columns_; }

  // The number of distinct values in rows [first_row, end_row) and columns [first_column, end_column). A
  // range of pixels that extends over several output rows counts as if it covered these rows completely.
  std::int64_t values(std::int64_t first_row, std::int64_t end_row, std::int64_t first_column,
                      std::int64_t end_column) const;
  // The total number of the operand's values that the product needs.
  std::int64_t values() const { return new_values(0, rows(), 0, columns()); }
  // The number of values in a block, excluding values that an earlier block of pixels or columns contains.
  // The sum over all blocks is values().
  std::int64_t new_values(std::int64_t first_row, std::int64_t end_row, std::int64_t first_column,
                          std::int64_t end_column) const;

 private:
  friend class OperandGrid;
  friend class OperandSums;

  // One dimension of an image: the output pixels and the inputs that their patches cover.
  struct Side {
    std::int64_t outputs = 1, inputs = 1, filter = 1, stride = 1, dilation = 1, padding = 0;
    std::int64_t covered(std::int64_t first, std::int64_t end) const;
  };

  // The parts of the rows (or columns) when they are cut into blocks of `size`. `once` has the same meaning
  // as in OperandGrid.
  std::vector<OperandPart> parts(bool rows, std::int64_t size, bool once) const;
  std::int64_t positions(std::int64_t first, std::int64_t end) const;
  std::int64_t positions_of_image(std::int64_t first, std::int64_t end) const;
  std::int64_t channels(std::int64_t first, std::int64_t end) const;
  std::int64_t begun_channels(std::int64_t column) const;

  std::int64_t rows_ = 0;
  std::int64_t columns_ = 0;
  bool transposed_ = false;
  bool patches_ = false;
  Side vertical_;
  Side horizontal_;
  std::int64_t channels_ = 1;
};

// An operand cut into blocks of `height` rows and `width` columns; the last blocks may be smaller. The number
// of values in a block is the product of a factor for its rows and a factor for its columns.
class OperandGrid {
 public:
  // If `once` is set, OperandBlocks::new_values() counts the values, otherwise values().
  OperandGrid(const OperandBlocks& operand, std::int64_t height, std::int64_t width, bool once);
  std::int64_t values(std::int64_t row_block, std::int64_t column_block) const;

 private:
  bool once_ = false;
  std::vector<OperandPart> rows_;
  std::vector<OperandPart> columns_;
};

// The total number of values in all blocks of an operand (the sum over an OperandGrid), computed for many
// block sizes. Each block height and width is evaluated only once, and blocks with equal parts are evaluated
// together.
class OperandSums {
 public:
  explicit OperandSums(const OperandBlocks& operand) : operand_(operand) {}
  std::int64_t values(std::int64_t height, std::int64_t width, bool once);

 private:
  using Counts = std::map<OperandPart, std::int64_t>;
  const Counts& counts(std::map<std::int64_t, Counts>& known, bool rows, std::int64_t size) const;

  OperandBlocks operand_;
  std::map<std::int64_t, Counts> rows_;     // key: block height
  std::map<std::int64_t, Counts> columns_;  // key: block width
  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> sums_;
};

// The operands of `pass` for one group of `layer`: the left operand, the upper operand and the result.
// workload::gemm() returns their sizes.
struct ProductOperands {
  OperandBlocks input;
  OperandBlocks weight;
  OperandBlocks output;
};
ProductOperands operands_of(const workload::Layer& layer, workload::Pass pass, std::int64_t samples);

}  // namespace coppice::accelerator
