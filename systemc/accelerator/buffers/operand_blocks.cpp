#include "accelerator/buffers/operand_blocks.h"

#include <algorithm>
#include <utility>

namespace coppice::accelerator {

using workload::Layer;
using workload::Pass;

OperandBlocks OperandBlocks::plain(std::int64_t rows, std::int64_t columns) {
  OperandBlocks blocks;
  blocks.rows_ = rows;
  blocks.columns_ = columns;
  return blocks;
}

OperandBlocks OperandBlocks::patches(const Layer& layer, std::int64_t samples) {
  const workload::Gemm product = gemm(layer, Pass::kForward, samples);
  OperandBlocks blocks = plain(product.m, product.k);
  blocks.patches_ = layer.kind != workload::LayerKind::kMatmul;
  // If a layer computes only a part of the output, all its patches are treated as if they had no padding,
  // although the patches at the border of the image have padding.
  blocks.vertical_ = {layer.output_height(), layer.input_rows(), layer.filter_height,
                      layer.stride_height,   layer.dilation,     layer.part_height > 0 ? 0 : layer.padding};
  blocks.horizontal_ = {layer.output_width(), layer.input_columns(),
                        layer.filter_width,   layer.stride_width,
                        layer.dilation,       layer.part_width > 0 ? 0 : layer.padding};
  blocks.channels_ = layer.channels / layer.groups;
  return blocks;
}

OperandBlocks OperandBlocks::transposed() const {
  OperandBlocks blocks = *this;
  blocks.transposed_ = !transposed_;
  return blocks;
}

std::int64_t OperandBlocks::Side::covered(std::int64_t first, std::int64_t end) const {
  const std::int64_t low = std::max<std::int64_t>(first * stride - padding, 0);
  const std::int64_t high = std::min((end - 1) * stride - padding + (filter - 1) * dilation, inputs - 1);
  return std::clamp<std::int64_t>(high - low + 1, 0, (end - first) * filter);
}

std::int64_t OperandBlocks::positions_of_image(std::int64_t first, std::int64_t end) const {
  const std::int64_t width = horizontal_.outputs;
  const std::int64_t top = first / width;
  const std::int64_t bottom = (end - 1) / width;
  const bool one_row = top == bottom;
  return vertical_.covered(top, bottom + 1) *
         horizontal_.covered(one_row ? first % width : 0, one_row ? (end - 1) % width + 1 : width);
}

std::int64_t OperandBlocks::positions(std::int64_t first, std::int64_t end) const {
  const std::int64_t image = vertical_.outputs * horizontal_.outputs;
  const std::int64_t whole_from = (first + image - 1) / image;
  const std::int64_t whole_to = end / image;
  if (whole_from > whole_to) return positions_of_image(first % image, first % image + end - first);
  std::int64_t sum = (whole_to - whole_from) * positions_of_image(0, image);
  if (first % image != 0) sum += positions_of_image(first % image, image);
  if (end % image != 0) sum += positions_of_image(0, end % image);
  return sum;
}

// The number of channels in a block of columns. In compressed weights, a column represents several channels.
std::int64_t OperandBlocks::channels(std::int64_t first, std::int64_t end) const {
  const std::int64_t last = (end * channels_ + columns_ - 1) / columns_;
  return std::min(last, channels_) - first * channels_ / columns_;
}

std::int64_t OperandBlocks::values(std::int64_t first_row, std::int64_t end_row, std::int64_t first_column,
                                   std::int64_t end_column) const {
  if (transposed_) {
    std::swap(first_row, first_column);
    std::swap(end_row, end_column);
  }
  if (first_row >= end_row || first_column >= end_column) return 0;
  const std::int64_t places = (end_row - first_row) * (end_column - first_column);
  if (!patches_) return places;
  return std::min(places, positions(first_row, end_row) * channels(first_column, end_column));
}

std::int64_t OperandBlocks::new_values(std::int64_t first_row, std::int64_t end_row,
                                       std::int64_t first_column, std::int64_t end_column) const {
  if (!patches_) return values(first_row, end_row, first_column, end_column);
  if (transposed_) {
    std::swap(first_row, first_column);
    std::swap(end_row, end_column);
  }
  if (first_row >= end_row || first_column >= end_column) return 0;
  const std::int64_t before = first_row == 0 ? 0 : positions(0, first_row);
  return (positions(0, end_row) - before) * (begun_channels(end_column) - begun_channels(first_column));
}

// The number of channels that begin before a column. A channel belongs to the block that contains its first
// column.
std::int64_t OperandBlocks::begun_channels(std::int64_t column) const {
  return (column * channels_ + columns_ - 1) / columns_;
}

std::vector<OperandPart> OperandBlocks::parts(bool rows, std::int64_t size, bool once) const {
  const bool pixels = rows != transposed_;
  const auto values = [&](std::int64_t first, std::int64_t end) {
    if (!patches_) return end - first;
    if (!pixels) return once ? begun_channels(end) - begun_channels(first) : channels(first, end);
    return once ? positions(0, end) - (first == 0 ? 0 : positions(0, first)) : positions(first, end);
  };
  const std::int64_t whole = rows ? this->rows() : columns();
  std::vector<OperandPart> parts;
  parts.reserve(static_cast<std::size_t>((whole + size - 1) / size));
  for (std::int64_t first = 0; first < whole; first += size) {
    const std::int64_t end = std::min(first + size, whole);
    parts.push_back({end - first, values(first, end)});
  }
  return parts;
}

OperandGrid::OperandGrid(const OperandBlocks& operand, std::int64_t height, std::int64_t width, bool once)
    : once_(once), rows_(operand.parts(true, height, once)), columns_(operand.parts(false, width, once)) {}

std::int64_t OperandGrid::values(std::int64_t row_block, std::int64_t column_block) const {
  const OperandPart& row = rows_[static_cast<std::size_t>(row_block)];
  const OperandPart& column = columns_[static_cast<std::size_t>(column_block)];
  const std::int64_t values = row.values * column.values;
  return once_ ? values : std::min(row.places * column.places, values);
}

std::int64_t OperandSums::values(std::int64_t height, std::int64_t width, bool once) {
  if (!operand_.patches_) return operand_.rows() * operand_.columns();
  if (once) return operand_.values();
  const auto [known, is_new] = sums_.try_emplace({height, width}, 0);
  if (!is_new) return known->second;
  const Counts& columns = counts(columns_, false, width);
  for (const auto& [row, rows] : counts(rows_, true, height)) {
    for (const auto& [column, number] : columns) {
      known->second += rows * number * std::min(row.places * column.places, row.values * column.values);
    }
  }
  return known->second;
}

const OperandSums::Counts& OperandSums::counts(std::map<std::int64_t, Counts>& known, bool rows,
                                               std::int64_t size) const {
  const auto [counts, is_new] = known.try_emplace(size);
  if (is_new) {
    for (const OperandPart& part : operand_.parts(rows, size, false)) ++counts->second[part];
  }
  return counts->second;
}

ProductOperands operands_of(const Layer& layer, Pass pass, std::int64_t samples) {
  const workload::Gemm product = gemm(layer, pass, samples);
  const OperandBlocks inputs = OperandBlocks::patches(layer, product.count == 0 ? 1 : samples);
  switch (pass) {
    case Pass::kForward:
      return {inputs, OperandBlocks::plain(product.k, product.n), OperandBlocks::plain(product.m, product.n)};
    case Pass::kInputGradient:
      return {OperandBlocks::plain(product.m, product.k), OperandBlocks::plain(product.k, product.n), inputs};
    case Pass::kWeightGradient:
      break;
  }
  return {inputs.transposed(), OperandBlocks::plain(product.k, product.n),
          OperandBlocks::plain(product.m, product.n)};
}

}  // namespace coppice::accelerator
