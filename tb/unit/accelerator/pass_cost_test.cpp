// Tests Accelerator::cost(), the cost of one pass of a layer: work split, buffers, memory traffic and timing.
#include <algorithm>
#include <limits>
#include <optional>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "accelerator/accelerator.h"
#include "array/random_product.h"
#include "base/error.h"
#include "random_layer.h"

namespace coppice::accelerator {
namespace {

using workload::Gemm;
using workload::Layer;
using workload::LayerKind;
using workload::Pass;

constexpr Pass kPasses[] = {Pass::kForward, Pass::kInputGradient, Pass::kWeightGradient};

AcceleratorSpec any_spec() {
  AcceleratorSpec spec;
  spec.pes = *rc::gen::inRange(1, 9);
  spec.array = {*rc::gen::inRange(1, 7), *rc::gen::inRange(1, 7), any_dataflow(), Convention::kCausal,
                *rc::gen::inRange(0, 4)};
  spec.operands = *rc::gen::element(ElementType::kFp32, ElementType::kBf16, ElementType::kInt8);
  const auto buffer = []() -> std::optional<Bytes> {
    if (*rc::gen::arbitrary<bool>()) return std::nullopt;
    return *rc::gen::inRange<Bytes>(8 * 6 * 6, 4000);
  };
  spec.buffers = {buffer(), buffer(), buffer()};
  return spec;
}

RC_GTEST_PROP(PassCost, TheArrayTakesTheCyclesOfTheFormula, ()) {
  AcceleratorSpec spec = any_spec();
  const Layer layer = any_layer();
  const std::int64_t batch = *rc::gen::inRange(1, 6);
  for (const Pass pass : kPasses) {
    spec.timing = Timing::kFormula;
    const PassCost formula = Accelerator(spec).cost(layer, pass, batch);
    spec.timing = Timing::kArray;
    const PassCost array = Accelerator(spec).cost(layer, pass, batch);
    RC_ASSERT(array.cycles == formula.cycles);
    RC_ASSERT(array.traffic == formula.traffic);
  }
}

// The tiles that a machine executes take exactly the cycles and move exactly the bytes that cost() returns.
RC_GTEST_PROP(PassCost, IsThatOfTheTilesOfItsWork, ()) {
  AcceleratorSpec spec = any_spec();
  const bool limited = *rc::gen::arbitrary<bool>();
  if (limited) spec.memory_bandwidth = Bandwidth{*rc::gen::inRange<std::int64_t>(1, 100) * 1'000'000'000};
  const Accelerator accelerator(spec);
  const Layer layer = any_layer();
  const std::int64_t batch = *rc::gen::inRange(1, 6);
  std::vector<PassWork> works{accelerator.update_work(layer, Optimizer{}),
                              accelerator.stream_work(70, 4000, 120)};
  for (const Pass pass : kPasses) works.push_back(accelerator.work(layer, pass, batch));
  for (const PassWork& work : works) {
    TileDemand sum;
    for (const TileSequence& run : work.runs) {
      for (const TileDemand& tile : run.tiles) {
        sum.compute += run.repeats * tile.compute;
        sum.load += run.repeats * tile.load;
        sum.store += run.repeats * tile.store;
      }
    }
    RC_ASSERT(sum.compute == work.cost.cycles);
    RC_ASSERT(sum.load + sum.store >= work.cost.traffic.total());
    if (limited) continue;
    RC_ASSERT(work.runs.size() <= 1U);
    RC_ASSERT(sum.load == work.cost.traffic.input + work.cost.traffic.weight);
    RC_ASSERT(sum.store == work.cost.traffic.output);
  }
}

// With unlimited buffers, every value moves once. Operands move in their own type, weight gradients in fp32.
RC_GTEST_PROP(PassCost, BytesAreThoseOfTheOperands, ()) {
  AcceleratorSpec spec = any_spec();
  spec.buffers = {};
  spec.split = Split::kBatch;
  const Layer layer = any_layer();
  const std::int64_t batch = *rc::gen::inRange(1, 6);
  const std::int64_t size = element_bytes(spec.operands);
  for (const Pass pass : kPasses) {
    const PassCost small = Accelerator(spec).cost(layer, pass, batch);
    AcceleratorSpec whole = spec;
    whole.operands = ElementType::kFp32;
    const PassCost fp32 = Accelerator(whole).cost(layer, pass, batch);
    const bool sums = pass == Pass::kWeightGradient;
    RC_ASSERT(small.cycles == fp32.cycles);
    RC_ASSERT(small.traffic.input * 4 == fp32.traffic.input * size);
    RC_ASSERT(small.traffic.output * 4 == fp32.traffic.output * (sums ? 4 : size));
    if (fp32.product.count > 0) RC_ASSERT(small.traffic.weight * 4 == fp32.traffic.weight * size);
  }
  const Optimizer adam = find_optimizer("adam");
  const Bytes copy = size == 4 ? 0 : layer.parameters() * size;
  RC_ASSERT(Accelerator(spec).update(layer, adam).traffic.total() ==
            layer.parameters() * adam.bytes_per_weight() + copy);
}

std::optional<Bandwidth> any_memory() {
  if (*rc::gen::arbitrary<bool>()) return std::nullopt;
  return Bandwidth{*rc::gen::inRange<std::int64_t>(1, 100) * 1'000'000'000};
}

RC_GTEST_PROP(PassCost, TheBestSplitIsTheBestOfAll, ()) {
  AcceleratorSpec spec = any_spec();
  spec.tiling = *rc::gen::elementOf(kTileOrders);
  spec.memory_bandwidth = any_memory();
  const Layer layer = any_layer();
  const std::int64_t batch = *rc::gen::inRange(1, 20);
  for (const Pass pass : kPasses) {
    spec.split = Split::kBest;
    const PassCost best = Accelerator(spec).cost(layer, pass, batch);
    RC_ASSERT(best.utilization <= 1);
    PeCycles least = std::numeric_limits<PeCycles>::max();
    for (const Split split : splits()) {
      spec.split = split;
      least = std::min(least, Accelerator(spec).cost(layer, pass, batch).total());
    }
    RC_ASSERT(best.total() == least);
  }
}

// `kLeastTraffic` never moves more bytes than any named tile order, and among orders with equal traffic it is
// the fastest. Traffic includes halos, partial sums and shared operands.
RC_GTEST_PROP(PassCost, MinimumTrafficIsTheMinimumOfAllOrders, ()) {
  AcceleratorSpec spec = any_spec();
  spec.memory_bandwidth = any_memory();
  spec.split = *rc::gen::element(Split::kBest, Split::kBatch, Split::kRows, Split::kColumns, Split::kFilters);
  const Layer layer = any_layer();
  const std::int64_t batch = *rc::gen::inRange(1, 20);
  for (const Pass pass : kPasses) {
    spec.tiling = Tiling::kLeastTraffic;
    const PassCost least = Accelerator(spec).cost(layer, pass, batch);
    for (const Tiling order : kTileOrders) {
      spec.tiling = order;
      const PassCost named = Accelerator(spec).cost(layer, pass, batch);
      RC_ASSERT(least.traffic.total() <= named.traffic.total());
      if (least.traffic.total() == named.traffic.total()) RC_ASSERT(least.total() <= named.total());
    }
  }
}

// An image of 18 pixels and 32 filters of width 3, on one PE with 24 B of buffer for inputs, 24 B for weights
// and 8 B for outputs. With stationary outputs, each of the 16 output pixels loads its 3 inputs, even though
// neighbouring pixels share 2 of them.
TEST(PassCost, TheMinimumTrafficIncludesHalos) {
  AcceleratorSpec spec;
  spec.pes = 1;
  spec.array = {1, 1, Dataflow::kOutputStationary};
  spec.memory_bandwidth = Bandwidth{1'000'000'000};
  spec.buffers = {24, 24, 8};
  Layer line;
  line.ifmap_width = 18;
  line.filter_width = 3;
  line.filters = 32;
  Bytes named = std::numeric_limits<Bytes>::max();
  for (const Tiling order : kTileOrders) {
    spec.tiling = order;
    named = std::min(named, Accelerator(spec).cost(line, Pass::kForward, 1).traffic.total());
  }
  spec.tiling = Tiling::kLeastTraffic;
  EXPECT_EQ(Accelerator(spec).cost(line, Pass::kForward, 1).traffic.total(), named);
}

RC_GTEST_PROP(PassCost, AMemoryOnlyAddsStalls, ()) {
  AcceleratorSpec spec = any_spec();
  spec.split = *rc::gen::elementOf(splits());
  const Layer layer = any_layer();
  const Pass pass = *rc::gen::elementOf(std::vector<Pass>(std::begin(kPasses), std::end(kPasses)));
  const PassCost unlimited = Accelerator(spec).cost(layer, pass, 3);
  RC_ASSERT(unlimited.stall_cycles == 0);
  spec.memory_bandwidth = Bandwidth{7'000'000'000};
  const PassCost limited = Accelerator(spec).cost(layer, pass, 3);
  RC_ASSERT(limited.cycles == unlimited.cycles);
  RC_ASSERT(limited.traffic == unlimited.traffic);
  RC_ASSERT(limited.total() >= limited.memory_cycles);
  RC_ASSERT(limited.memory_cycles * 7 >= limited.traffic.total());
}

// A single PE whose buffers hold all operands moves each tensor once.
TEST(PassCost, UnlimitedBuffersMoveEveryTensorOnce) {
  AcceleratorSpec spec;
  spec.pes = 1;
  spec.array = {8, 8, Dataflow::kOutputStationary};
  Layer layer;
  layer.ifmap_height = layer.ifmap_width = 20;
  layer.filter_height = layer.filter_width = 3;
  layer.padding = 1;
  layer.channels = 6;
  layer.filters = 10;
  const Accelerator accelerator(spec);
  const Bytes inputs = Bytes{4} * 2 * 400 * 6;
  const Bytes outputs = Bytes{4} * 2 * 400 * 10;
  const Bytes weights = Bytes{4} * 9 * 6 * 10;
  EXPECT_EQ(accelerator.cost(layer, Pass::kForward, 2).traffic, (Traffic{inputs, weights, outputs}));
  EXPECT_EQ(accelerator.cost(layer, Pass::kInputGradient, 2).traffic, (Traffic{outputs, weights, inputs}));
  EXPECT_EQ(accelerator.cost(layer, Pass::kWeightGradient, 2).traffic, (Traffic{inputs, outputs, weights}));
}

// With a single sample, cost() must split the layer so that it does not leave 15 of the 16 PEs idle.
TEST(PassCost, OneSampleUsesManyPes) {
  Layer layer;
  layer.ifmap_height = layer.ifmap_width = 56;
  layer.channels = layer.filters = 64;
  const Accelerator accelerator(AcceleratorSpec{});
  const PassCost one = accelerator.cost(layer, Pass::kForward, 1);
  const PassCost sixteen = accelerator.cost(layer, Pass::kForward, 16);
  EXPECT_EQ(sixteen.split, Split::kBatch);
  EXPECT_NE(one.split, Split::kBatch);
  EXPECT_LT(one.cycles * 10, sixteen.cycles);
}

TEST(PassCost, OtherValuesMoveAtTheBandwidthOfTheArraysEdge) {
  AcceleratorSpec spec;
  spec.pes = 2;
  spec.array = {4, 4, Dataflow::kOutputStationary};
  Layer layer;
  layer.kind = LayerKind::kNormalization;
  layer.ifmap_height = 6;
  layer.channels = layer.filters = 10;
  const Accelerator accelerator(spec);
  const PassCost forward = accelerator.cost(layer, Pass::kForward, 2);
  EXPECT_EQ(forward.cycles, 2 * 6 * 3);  // two sweeps over 6 pixels, 3 cycles for 10 channels
  EXPECT_EQ(forward.traffic, (Traffic{4 * 2 * 120, 4 * 20, 4 * 120}));
  EXPECT_EQ(accelerator.cost(layer, Pass::kWeightGradient, 2).cycles, 0);
  layer.kind = LayerKind::kSoftmax;
  // Softmax is split by rows, never by channels.
  EXPECT_EQ(accelerator.cost(layer, Pass::kForward, 1).cycles, 3 * 3 * 3);
  layer.kind = LayerKind::kAdd;
  EXPECT_EQ(accelerator.cost(layer, Pass::kInputGradient, 1).traffic.total(), 0);
}

// Each pipeline register of a PE adds one cycle per tile. SCALE-Sim's convention ignores these registers.
TEST(PassCost, TilesWaitForTheRegistersOfPes) {
  Layer layer;
  layer.ifmap_height = 9;
  layer.channels = 10;
  layer.filters = 12;
  for (const Dataflow dataflow :
       {Dataflow::kOutputStationary, Dataflow::kWeightStationary, Dataflow::kInputStationary}) {
    const auto cycles = [&](int pe_latency, Convention convention) {
      AcceleratorSpec spec;
      spec.pes = 1;
      spec.array = {4, 5, dataflow, convention, pe_latency};
      return Accelerator(spec).cost(layer, Pass::kForward, 1).cycles;
    };
    const int tiles = dataflow == Dataflow::kInputStationary ? 3 * 2 : 3 * 3;
    EXPECT_EQ(cycles(2, Convention::kCausal), cycles(0, Convention::kCausal) + 2 * tiles);
    EXPECT_EQ(cycles(2, Convention::kScaleSim), cycles(0, Convention::kScaleSim));
  }
}

TEST(PassCost, AnUpdateMovesWeightsGradientsAndStates) {
  AcceleratorSpec spec;
  spec.memory_bandwidth = Bandwidth{16'000'000'000};
  Layer layer;
  layer.channels = 1024;
  layer.filters = 512;
  const PassCost update = Accelerator(spec).update(layer, find_optimizer("momentum"));
  EXPECT_EQ(update.traffic.total(), Bytes{20} * 1024 * 512);
  EXPECT_EQ(update.cycles, 1024 * 512 / 16 / 32);
  EXPECT_EQ(update.memory_cycles, 20 * 1024 * 512 / 16);
  EXPECT_GE(update.total(), update.memory_cycles);
}

TEST(PassCost, RejectsScaleSimsConventionForArrays) {
  AcceleratorSpec spec;
  spec.timing = Timing::kArray;
  spec.array = {4, 4, Dataflow::kOutputStationary, Convention::kScaleSim};
  EXPECT_THROW(Accelerator{spec}, std::invalid_argument);
}

// SCALE-Sim's cycle equations, implemented from its description: every fold uses the whole array,
// output-stationary folds do not drain, and the number of outputs is rounded up.
PeCycles scale_sim(const Layer& layer, int rows, int columns, Dataflow dataflow) {
  const auto size = [](std::int64_t input, std::int64_t filter, std::int64_t stride) {
    return (input - filter + stride + stride - 1) / stride;
  };
  const std::int64_t pixels = size(layer.ifmap_height, layer.filter_height, layer.stride_height) *
                              size(layer.ifmap_width, layer.filter_width, layer.stride_width);
  const std::int64_t window = layer.filter_height * layer.filter_width * layer.channels;
  const auto folds = [&](std::int64_t down, std::int64_t across) {
    return ((down + rows - 1) / rows) * ((across + columns - 1) / columns);
  };
  switch (dataflow) {
    case Dataflow::kOutputStationary:
      return folds(pixels, layer.filters) * (rows + columns + window - 2);
    case Dataflow::kWeightStationary:
      return folds(window, layer.filters) * (2 * rows + columns + pixels - 2);
    case Dataflow::kInputStationary:
      break;
  }
  return folds(window, pixels) * (2 * rows + columns + layer.filters - 2);
}

RC_GTEST_PROP(PassCost, ScaleSimsConventionIsScaleSimsEquations, ()) {
  Layer layer;
  layer.ifmap_height = *rc::gen::inRange(1, 300);
  layer.ifmap_width = *rc::gen::inRange(1, 300);
  layer.filter_height =
      *rc::gen::inRange<std::int64_t>(1, std::min<std::int64_t>(layer.ifmap_height, 12) + 1);
  layer.filter_width = *rc::gen::inRange<std::int64_t>(1, std::min<std::int64_t>(layer.ifmap_width, 12) + 1);
  layer.stride_height = *rc::gen::inRange(1, 5);
  layer.stride_width = *rc::gen::inRange(1, 5);
  layer.channels = *rc::gen::inRange(1, 2000);
  layer.filters = *rc::gen::inRange(1, 5000);
  layer.round_up = true;
  AcceleratorSpec spec;
  spec.pes = 1;
  const int rows = *rc::gen::inRange(1, 300);
  const int columns = *rc::gen::inRange(1, 300);
  const Dataflow dataflow = any_dataflow();
  spec.array = {rows, columns, dataflow, Convention::kScaleSim};
  RC_ASSERT(Accelerator(spec).cost(layer, Pass::kForward, 1).cycles ==
            scale_sim(layer, rows, columns, dataflow));
}

}  // namespace
}  // namespace coppice::accelerator
