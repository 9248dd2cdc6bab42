#include "accelerator/buffers/operand_blocks.h"

#include <algorithm>
#include <set>
#include <tuple>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace coppice::accelerator {
namespace {

using workload::Layer;
using workload::Pass;

// Counts the distinct inputs that the output pixels [first, end) of an image read, by visiting every filter
// position.
std::int64_t walked(const Layer& layer, std::int64_t first, std::int64_t end) {
  std::set<std::tuple<std::int64_t, std::int64_t>> touched;
  for (std::int64_t pixel = first; pixel < end; ++pixel) {
    for (std::int64_t r = 0; r < layer.filter_height; ++r) {
      for (std::int64_t s = 0; s < layer.filter_width; ++s) {
        const std::int64_t y =
            pixel / layer.output_width() * layer.stride_height + r * layer.dilation - layer.padding;
        const std::int64_t x =
            pixel % layer.output_width() * layer.stride_width + s * layer.dilation - layer.padding;
        if (y >= 0 && x >= 0 && y < layer.ifmap_height && x < layer.ifmap_width) touched.emplace(y, x);
      }
    }
  }
  return static_cast<std::int64_t>(touched.size());
}

Layer any_layer() {
  Layer layer;
  layer.filter_height = *rc::gen::inRange(1, 4);
  layer.filter_width = *rc::gen::inRange(1, 4);
  layer.padding = *rc::gen::inRange(0, 2);
  layer.ifmap_height = *rc::gen::inRange(3, 12);
  layer.ifmap_width = *rc::gen::inRange(3, 12);
  // Strides of at most the filter's size, so that no input is skipped.
  layer.stride_height = *rc::gen::inRange<std::int64_t>(1, layer.filter_height + 1);
  layer.stride_width = *rc::gen::inRange<std::int64_t>(1, layer.filter_width + 1);
  layer.channels = *rc::gen::inRange(1, 5);
  layer.filters = *rc::gen::inRange(1, 5);
  return layer;
}

RC_GTEST_PROP(OperandBlocks, WholeRowsOfPatchesHoldTheInputsUnderThem, ()) {
  const Layer layer = any_layer();
  const OperandBlocks patches = OperandBlocks::patches(layer, 2);
  const std::int64_t width = layer.output_width();
  const std::int64_t first = *rc::gen::inRange<std::int64_t>(0, layer.output_height());
  const std::int64_t end = *rc::gen::inRange<std::int64_t>(first + 1, layer.output_height() + 1);
  const std::int64_t positions = walked(layer, first * width, end * width);
  RC_ASSERT(patches.new_values(0, end * width, 0, patches.columns()) ==
            walked(layer, 0, end * width) * layer.channels);
  const std::int64_t places = (end - first) * width * patches.columns();
  RC_ASSERT(patches.values(first * width, end * width, 0, patches.columns()) ==
            std::min(positions * layer.channels, places));
  // The second sample of the batch has as many values as the first.
  const std::int64_t image = width * layer.output_height();
  RC_ASSERT(patches.transposed().values(0, patches.columns(), image + first * width, image + end * width) ==
            patches.values(first * width, end * width, 0, patches.columns()));
}

RC_GTEST_PROP(OperandBlocks, ConsecutiveBlocksAddUpToTheOperand, ()) {
  const Layer layer = any_layer();
  const OperandBlocks patches = OperandBlocks::patches(layer, 2);
  const std::int64_t step = *rc::gen::inRange<std::int64_t>(1, 20);
  const std::int64_t wide = *rc::gen::inRange<std::int64_t>(1, 20);
  std::int64_t sum = 0;
  for (std::int64_t first = 0; first < patches.rows(); first += step) {
    for (std::int64_t column = 0; column < patches.columns(); column += wide) {
      sum += patches.new_values(first, std::min(first + step, patches.rows()), column,
                                std::min(column + wide, patches.columns()));
    }
  }
  RC_ASSERT(sum == patches.values());
  RC_ASSERT(sum == 2 * layer.channels * walked(layer, 0, layer.output_height() * layer.output_width()));
}

TEST(OperandBlocks, PlainOperandsHaveAValueAtEveryPosition) {
  const OperandBlocks plain = OperandBlocks::plain(5, 7);
  EXPECT_EQ(plain.values(), 35);
  EXPECT_EQ(plain.values(1, 3, 2, 7), 10);
  EXPECT_EQ(plain.values(3, 3, 2, 7), 0);
  EXPECT_EQ(plain.transposed().rows(), 7);
}

TEST(OperandBlocks, PassesHaveTheTensorsOfTheirLayer) {
  Layer layer;  // 8x8x4 to 8x8x6 with padded 3x3 filters
  layer.ifmap_height = layer.ifmap_width = 8;
  layer.filter_height = layer.filter_width = 3;
  layer.padding = 1;
  layer.channels = 4;
  layer.filters = 6;
  const auto values = [&](Pass pass) {
    const ProductOperands operands = operands_of(layer, pass, 3);
    return std::tuple(operands.input.values(), operands.weight.values(), operands.output.values());
  };
  constexpr std::int64_t kInputs = 3 * 64 * 4;
  constexpr std::int64_t kOutputs = 3 * 64 * 6;
  constexpr std::int64_t kWeights = 9 * 4 * 6;
  EXPECT_EQ(values(Pass::kForward), std::tuple(kInputs, kWeights, kOutputs));
  EXPECT_EQ(values(Pass::kInputGradient), std::tuple(kOutputs, kWeights, kInputs));
  EXPECT_EQ(values(Pass::kWeightGradient), std::tuple(kInputs, kOutputs, kWeights));
}

// The grid must report the same number of values for each block as the operand itself.
RC_GTEST_PROP(OperandGrid, HasTheContentsOfItsBlocks, ()) {
  const Layer layer = any_layer();
  const OperandBlocks patches = OperandBlocks::patches(layer, 3);
  const OperandBlocks plain = OperandBlocks::plain(patches.rows(), patches.columns());
  const std::int64_t height = *rc::gen::inRange<std::int64_t>(1, 40);
  const std::int64_t width = *rc::gen::inRange<std::int64_t>(1, 40);
  for (const OperandBlocks& operand : {patches, patches.transposed(), plain}) {
    const OperandGrid any(operand, height, width, false);
    const OperandGrid once(operand, height, width, true);
    for (std::int64_t row = 0; row * height < operand.rows(); ++row) {
      for (std::int64_t column = 0; column * width < operand.columns(); ++column) {
        const std::int64_t bottom = std::min((row + 1) * height, operand.rows());
        const std::int64_t right = std::min((column + 1) * width, operand.columns());
        RC_ASSERT(any.values(row, column) == operand.values(row * height, bottom, column * width, right));
        RC_ASSERT(once.values(row, column) ==
                  operand.new_values(row * height, bottom, column * width, right));
      }
    }
  }
}

}  // namespace
}  // namespace coppice::accelerator
