#include "accelerator/accelerator.h"

#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/error.h"

namespace coppice::accelerator {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;
using workload::Layer;
using workload::LayerKind;

AcceleratorSpec spec(int pes = 16, std::optional<Bandwidth> memory = std::nullopt) {
  AcceleratorSpec result;
  result.pes = pes;
  result.memory_bandwidth = memory;
  result.split = Split::kBatch;
  return result;
}

// A layer with 64 output positions per sample, 96 channels and 128 filters: as a matrix product, m = 64 per
// sample, k = 96 and n = 128.
Layer layer() {
  Layer result;
  result.name = "fc";
  result.ifmap_height = 64;
  result.channels = 96;
  result.filters = 128;
  return result;
}

TEST(Accelerator, SplitsTheMiniBatchOverItsPes) {
  // With 16 samples on 16 PEs, each PE has one sample, which gives 2 x 4 tiles of depth 96.
  EXPECT_EQ(Accelerator(spec()).cycles(layer(), 16).forward, 8 * (64 + 32 + 96 - 2));
  // With 17 samples, one PE has two samples, which give 4 x 4 tiles.
  EXPECT_EQ(Accelerator(spec()).cycles(layer(), 17).forward, 16 * (64 + 32 + 96 - 2));
  EXPECT_EQ(Accelerator(spec(1)).cycles(layer(), 16).forward, 128 * (64 + 32 + 96 - 2));
}

TEST(Accelerator, TimesTheBackwardPasses) {
  const LayerCycles cycles = Accelerator(spec()).cycles(layer(), 32);  // two samples each
  // Each PE has two samples, so the input gradient has 128 x 96 values of depth 128, and the weight gradient
  // has 96 x 128 values of depth 128.
  EXPECT_EQ(cycles.input_gradient, 12 * (64 + 32 + 128 - 2));
  EXPECT_EQ(cycles.weight_gradient, 12 * (64 + 32 + 128 - 2));
}

TEST(Accelerator, AggregatesTheGradientsOfActivePes) {
  constexpr PeCycles kWeights = PeCycles{96} * 128;
  // Each of 16 PEs reduces its share of the 96 x 128 weights: 15 additions per weight, 32 additions per
  // cycle.
  EXPECT_EQ(Accelerator(spec()).cycles(layer(), 16).local_aggregation, kWeights / 16 * 15 / 32);
  EXPECT_EQ(Accelerator(spec()).cycles(layer(), 1).local_aggregation, 0);
  // 20 samples occupy ten PEs in pairs, so each PE reduces ceil(12288 / 10) weights with 9 additions each.
  EXPECT_EQ(Accelerator(spec()).cycles(layer(), 20).local_aggregation, (1229 * 9 + 31) / 32);
}

TEST(Accelerator, MatmulsHaveNoGradientsToAggregate) {
  Layer scores = layer();
  scores.kind = LayerKind::kMatmul;
  EXPECT_EQ(Accelerator(spec()).cycles(scores, 16).local_aggregation, 0);
}

TEST(Accelerator, EmbeddingsMoveRows) {
  Layer table;
  table.kind = LayerKind::kEmbedding;
  table.ifmap_height = 3;
  table.channels = 1000;
  table.filters = 40;  // two cycles at 32 values per cycle
  const LayerCycles cycles = Accelerator(spec()).cycles(table, 32);
  EXPECT_EQ(cycles.forward, 2 * 3 * 2);
  EXPECT_EQ(cycles.weight_gradient, 2 * 3 * 2);
  EXPECT_EQ(cycles.input_gradient, 0);
  EXPECT_EQ(cycles.local_aggregation, 0);
}

TEST(Accelerator, WaitsForASlowMemory) {
  // The forward pass reads 16 x 64 x 96 inputs and 96 x 128 weights and writes 16 x 64 x 128 outputs, each of
  // 4 B, at 1 B per cycle.
  const LayerCycles slow = Accelerator(spec(16, Bandwidth{1'000'000'000})).cycles(layer(), 16);
  EXPECT_EQ(slow.forward, 4 * (16 * 64 * 96 + 96 * 128 + 16 * 64 * 128));
  EXPECT_EQ(slow.input_gradient, slow.forward);
  // Every PE writes a complete weight gradient.
  EXPECT_EQ(slow.weight_gradient, 4 * (16 * 64 * 96 + 16 * 96 * 128 + 16 * 64 * 128));
  // Each PE's 768 weights form a single tile, so their 360 cycles of additions cannot overlap with any
  // transfer.
  EXPECT_EQ(slow.local_aggregation, 4 * 17 * 96 * 128 + 360);
}

// At 100,000 bytes per cycle, only the first loads and the last stores stall the array, by one or two cycles
// each.
TEST(Accelerator, AFastMemoryHardlyMatters) {
  const LayerCycles fast = Accelerator(spec(16, Bandwidth{100'000'000'000'000})).cycles(layer(), 16);
  const LayerCycles unlimited = Accelerator(spec()).cycles(layer(), 16);
  EXPECT_GT(fast.forward, unlimited.forward);
  EXPECT_LE(fast.forward, unlimited.forward + 10);
  EXPECT_LE(fast.weight_gradient, unlimited.weight_gradient + 10);
}

TEST(Accelerator, CostsAreInCyclesOfItsClock) {
  AcceleratorSpec half = spec();
  half.clock = Frequency{500'000'000};
  const auto costs = Accelerator(half).costs({"one", {layer()}}, 16);
  const LayerCycles cycles = Accelerator(spec()).cycles(layer(), 16);
  ASSERT_EQ(costs.size(), 1U);
  EXPECT_EQ(costs[0].name, "fc");
  EXPECT_EQ(costs[0].forward, cycles.forward * 2'000'000);
  EXPECT_EQ(costs[0].input_gradient, cycles.input_gradient * 2'000'000);
  EXPECT_EQ(costs[0].weight_gradient, (cycles.weight_gradient + cycles.local_aggregation) * 2'000'000);
  EXPECT_EQ(costs[0].gradient_bytes, 4 * 96 * 128);
}

TEST(Accelerator, RejectsInvalidArchitectures) {
  EXPECT_THROW(Accelerator{spec(0)}, std::invalid_argument);
  EXPECT_THROW((Accelerator{spec(1, Bandwidth{0})}), std::invalid_argument);
  AcceleratorSpec slow = spec();
  slow.clock = Frequency{1};
  Layer large = layer();
  large.ifmap_height = 1 << 20;
  EXPECT_THAT(
      [&] {
        Accelerator(slow).costs({"model", {large}}, 16);
      },
      ThrowsMessage<UnsupportedError>(HasSubstr("layer fc of model takes more than")));
}

RC_GTEST_PROP(Accelerator, MoreBandwidthOrMorePesNeverSlowAPass, ()) {
  Layer any;
  any.ifmap_height = any.ifmap_width = *rc::gen::inRange(3, 12);
  any.filter_height = any.filter_width = *rc::gen::inRange(1, 4);
  any.channels = *rc::gen::inRange(1, 70);
  any.filters = *rc::gen::inRange(1, 70);
  const std::int64_t batch = *rc::gen::inRange(1, 40);
  const int pes = *rc::gen::inRange(1, 20);
  const Bandwidth slow{*rc::gen::inRange<std::int64_t>(1, 1'000'000'000'000)};
  const LayerCycles limited = Accelerator(spec(pes, slow)).cycles(any, batch);
  const LayerCycles unlimited = Accelerator(spec(pes)).cycles(any, batch);
  const LayerCycles wider = Accelerator(spec(pes + 1)).cycles(any, batch);
  RC_ASSERT(limited.forward >= unlimited.forward);
  RC_ASSERT(limited.input_gradient >= unlimited.input_gradient);
  RC_ASSERT(limited.weight_gradient >= unlimited.weight_gradient);
  RC_ASSERT(limited.local_aggregation >= unlimited.local_aggregation);
  RC_ASSERT(wider.forward <= unlimited.forward);
  RC_ASSERT(wider.weight_gradient <= unlimited.weight_gradient);
}

}  // namespace
}  // namespace coppice::accelerator
