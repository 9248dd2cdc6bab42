#include "accelerator/footprint.h"

#include <stdexcept>

#include <gtest/gtest.h>

namespace coppice::accelerator {
namespace {

TEST(Footprint, CountsTheDataThatAnIterationKeeps) {
  workload::Layer first;  // 4x4x3 to 4x4x5
  first.ifmap_height = first.ifmap_width = 4;
  first.channels = 3;
  first.filters = 5;
  workload::Layer second = first;
  second.channels = 5;
  second.filters = 2;
  const Footprint needs = footprint_of({"two", {first, second}}, 10, find_optimizer("adam"), 77);
  EXPECT_EQ(needs.weights, 4 * (15 + 10));
  EXPECT_EQ(needs.gradients, needs.weights);
  EXPECT_EQ(needs.optimizer, 2 * needs.weights);
  EXPECT_EQ(needs.activations, 4 * 10 * 16 * (3 + 5 + 2));
  EXPECT_EQ(needs.total(), 4 * needs.weights + needs.activations + 77);
}

TEST(Footprint, SmallOperandsShrinkActivationsAndCopyWeights) {
  workload::Layer layer;  // 4x4x3 to 4x4x5
  layer.ifmap_height = layer.ifmap_width = 4;
  layer.channels = 3;
  layer.filters = 5;
  const workload::Model model{"one", {layer}};
  const auto needs = [&](ElementType type) {
    return footprint_of(model, 10, find_optimizer("sgd"), 0, type);
  };
  EXPECT_EQ(needs(ElementType::kFp32).weights, 4 * 15);
  EXPECT_EQ(needs(ElementType::kBf16).weights, (4 + 2) * 15);
  EXPECT_EQ(needs(ElementType::kInt8).weights, (4 + 1) * 15);
  EXPECT_EQ(needs(ElementType::kInt8).gradients, 4 * 15);
  EXPECT_EQ(needs(ElementType::kBf16).activations, 2 * 10 * 16 * (3 + 5));
  EXPECT_EQ(needs(ElementType::kInt8).activations, 10 * 16 * (3 + 5));
}

TEST(Footprint, OptimizersMoveTheirState) {
  EXPECT_EQ(find_optimizer("sgd").bytes_per_weight(), 12);
  EXPECT_EQ(find_optimizer("momentum").bytes_per_weight(), 20);
  EXPECT_EQ(find_optimizer("adam").bytes_per_weight(), 28);
  EXPECT_THROW(find_optimizer("lion"), std::invalid_argument);
}

}  // namespace
}  // namespace coppice::accelerator
