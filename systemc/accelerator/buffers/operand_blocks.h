#pragma once

#include <cstdint>
#include <vector>

#include "workload/layer.h"

namespace coppice::accelerator {

// A matrix operand of a product, and how many values of a tensor its blocks hold. A plain matrix holds one in
// every place. The patches of a convolution (im2col: a row per output pixel, a column per weight of a filter)
// hold every input once for each patch that it is in, and no value where a patch lies on the padding.
class OperandBlocks {
 public:
  static OperandBlocks plain(std::int64_t rows, std::int64_t columns);
  // The inputs of one group of `layer`, for `samples` samples.
  static OperandBlocks patches(const workload::Layer& layer, std::int64_t samples);
  OperandBlocks transposed() const;

  std::int64_t rows() const { return transposed_ ? columns_ : rows_; }
  std::int64_t columns() const { return transposed_ ? rows_ : columns_; }

  // Different values in rows [first_row, end_row) and columns [first_column, end_column). Pixels of more than
  // one output row count as if they were all of those rows.
  std::int64_t values(std::int64_t first_row, std::int64_t end_row, std::int64_t first_column,
                      std::int64_t end_column) const;
  // All of the operand that the product needs.
  std::int64_t values() const { return new_values(0, rows(), 0, columns()); }
  // Of a block without those that blocks of the pixels or columns before have too: they add up to all.
  std::int64_t new_values(std::int64_t first_row, std::int64_t end_row, std::int64_t first_column,
                          std::int64_t end_column) const;

 private:
  friend class OperandGrid;

  // A dimension of an image: output pixels, and the inputs that their patches cover.
  struct Side {
    std::int64_t outputs = 1, inputs = 1, filter = 1, stride = 1, dilation = 1, padding = 0;
    std::int64_t covered(std::int64_t first, std::int64_t end) const;
  };

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

// An operand cut into blocks of `height` rows and `width` columns, the last ones what is left, whose values
// are known without counting them anew: they are products of what belongs to the rows and to the columns.
class OperandGrid {
 public:
  // `once`: OperandBlocks::new_values(), else values().
  OperandGrid(const OperandBlocks& operand, std::int64_t height, std::int64_t width, bool once);
  std::int64_t values(std::int64_t row_block, std::int64_t column_block) const;

 private:
  // What a block of rows or columns contributes: places, and values of the tensor per value of the others.
  struct Part {
    std::int64_t places = 0;
    std::int64_t values = 0;
  };

  bool once_ = false;
  std::vector<Part> rows_;
  std::vector<Part> columns_;
};

// The operands of `pass` of one group of `layer`: what enters at the left, what enters from above, and what
// leaves (workload::gemm() says their sizes).
struct ProductOperands {
  OperandBlocks input;
  OperandBlocks weight;
  OperandBlocks output;
};
ProductOperands operands_of(const workload::Layer& layer, workload::Pass pass, std::int64_t samples);

}  // namespace coppice::accelerator
