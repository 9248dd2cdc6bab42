#include "accelerator/roofline.h"

#include <gmock/gmock.h>

#include "base/error.h"

namespace coppice::accelerator {
namespace {

// A machine that sustains half of its peak of 1 TFLOPS and a quarter of its peak bandwidth of 1 TB/s.
constexpr Roofline kMachine{
    .peak_tflops = 1, .efficiency = 0.5, .memory_bandwidth = {1'000'000'000'000}, .memory_efficiency = 0.25};

workload::Model one_layer(std::int64_t side, std::int64_t channels, std::int64_t filters) {
  workload::Layer layer;
  layer.name = "layer";
  layer.ifmap_height = layer.ifmap_width = side;
  layer.channels = channels;
  layer.filters = filters;
  return {"model", {layer}};
}

// 100 x 100 pixels and 1000 x 1000 weights: 1e10 multiply-accumulates are 2e10 operations, which take 40 ms
// at 0.5e12 operations per second. The 21e6 values (84 MB) move in only 0.336 ms.
TEST(Roofline, ArithmeticBoundsConvolutions) {
  const auto costs = kMachine.costs(one_layer(100, 1000, 1000), 1);
  ASSERT_EQ(costs.size(), 1U);
  EXPECT_EQ(costs[0].forward, 40 * kFemtosecondsPerSecond / 1000);
  EXPECT_EQ(costs[0].input_gradient, costs[0].forward);
  EXPECT_EQ(costs[0].weight_gradient, costs[0].forward);
  EXPECT_EQ(costs[0].gradient_bytes, 4'000'000);
  EXPECT_EQ(kMachine.costs(one_layer(100, 1000, 1000), 3)[0].forward, 3 * costs[0].forward);
}

// 1000 x 1000 weights and one sample: 2e6 operations take 4 us. The 1,002,000 values (4.008 MB) take longer,
// namely 16 us at 0.25e12 B/s.
TEST(Roofline, MemoryBoundsFullyConnectedLayers) {
  EXPECT_EQ(kMachine.costs(one_layer(1, 1000, 1000), 1)[0].forward, 16032 * kFemtosecondsPerNanosecond);
}

// The optimizer reads 4e6 B each of weights, gradients and momentum and writes the weights and the momentum:
// 20 MB in total.
TEST(Roofline, UpdatesMoveTheStateOfTheOptimizer) {
  EXPECT_EQ(kMachine.costs(one_layer(1, 1000, 1000), 1)[0].update, 80'000 * kFemtosecondsPerNanosecond);
}

TEST(Roofline, EachEfficiencyScalesItsOwnLimit) {
  const auto forward = [](std::int64_t side, double efficiency, double memory_efficiency) {
    Roofline machine = kMachine;
    machine.efficiency = efficiency;
    machine.memory_efficiency = memory_efficiency;
    return machine.costs(one_layer(side, 1000, 1000), 1)[0].forward;
  };
  EXPECT_EQ(forward(100, 1, 0.25), forward(100, 0.5, 0.25) / 2);
  EXPECT_EQ(forward(100, 0.5, 1), forward(100, 0.5, 0.25));
  EXPECT_EQ(forward(1, 1, 0.25), forward(1, 0.5, 0.25));
  EXPECT_EQ(forward(1, 0.5, 1), forward(1, 0.5, 0.25) / 4);
}

TEST(Roofline, EveryKernelIsLaunched) {
  Roofline machine = kMachine;
  machine.launch = 3000 * kFemtosecondsPerNanosecond;
  const auto costs = machine.costs(one_layer(1, 1000, 1000), 1)[0];
  EXPECT_EQ(costs.forward, 19032 * kFemtosecondsPerNanosecond);
  EXPECT_EQ(costs.input_gradient, costs.forward);
  EXPECT_EQ(costs.update, 83'000 * kFemtosecondsPerNanosecond);
}

TEST(Roofline, AnEmbeddingHasNoInputGradient) {
  workload::Model model = one_layer(10, 50, 100);
  model.layers[0].kind = workload::LayerKind::kEmbedding;
  const auto costs = kMachine.costs(model, 1);
  // The layer reads and writes 100 rows of 100 values.
  EXPECT_EQ(costs[0].forward, 320 * kFemtosecondsPerNanosecond);
  EXPECT_EQ(costs[0].input_gradient, 0);
}

TEST(Roofline, RejectsInvalidMachines) {
  EXPECT_THROW(kMachine.costs(one_layer(100'000, 10'000, 10'000), 1000), UnsupportedError);
}

}  // namespace
}  // namespace coppice::accelerator
