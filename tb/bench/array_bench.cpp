// Measures the systolic array alone: the time per cycle of its PEs, and the time of evaluating the formula
// for a whole model.
#include <benchmark/benchmark.h>

#include <string>

#include "accelerator/accelerator.h"
#include "accelerator/array/operands.h"
#include "accelerator/array/tile_run.h"

namespace coppice::bench {
namespace {

using namespace accelerator;

constexpr int kDepth = 1000;

template <typename Value>
void array_cycles(benchmark::State& state) {
  const auto side = static_cast<int>(state.range(1));
  const SystolicArray array(side, side, static_cast<Dataflow>(state.range(0)), Convention::kCausal,
                            static_cast<int>(state.range(2)));
  // With stationary outputs, the matrices have kDepth values along the depth; otherwise, along a side of the
  // product.
  const bool stay = array.dataflow() == Dataflow::kOutputStationary;
  const bool weights = array.dataflow() == Dataflow::kWeightStationary;
  Matrix<Value> a(weights ? kDepth : side, stay ? kDepth : side);
  Matrix<Value> b(stay ? kDepth : side, stay || weights ? side : kDepth);
  Matrix<Value> out(a.rows(), b.columns());
  for (std::int64_t i = 0; i < a.rows(); ++i) {
    for (std::int64_t j = 0; j < a.columns(); ++j) a.at(i, j) = static_cast<Value>((i * 7 + j * 3) % 11 - 5);
  }
  for (std::int64_t i = 0; i < b.rows(); ++i) {
    for (std::int64_t j = 0; j < b.columns(); ++j) b.at(i, j) = static_cast<Value>((i * 5 + j * 2) % 13 - 6);
  }
  PeCycles cycles = 0;
  for (const auto& iteration : state) {
    (void)iteration;
    const Matrix<Value>& left = a;
    const Matrix<Value>& upper = b;
    cycles += run_product<Value>(array, left.view(), upper.view(), out.view());
    benchmark::DoNotOptimize(out.at(0, 0));
  }
  state.counters["array_cycles_per_s"] =
      benchmark::Counter(static_cast<double>(cycles), benchmark::Counter::kIsRate);
  state.counters["pe_cycles_per_s"] =
      benchmark::Counter(static_cast<double>(cycles) * side * side, benchmark::Counter::kIsRate);
}
BENCHMARK_TEMPLATE(array_cycles, float)
    ->ArgNames({"dataflow", "side", "pe_latency"})
    ->ArgsProduct({{0, 1, 2}, {32}, {0, 1}})
    ->ArgsProduct({{0}, {8, 128}, {0}});
BENCHMARK_TEMPLATE(array_cycles, std::int32_t)
    ->ArgNames({"dataflow", "side", "pe_latency"})
    ->ArgsProduct({{0, 1, 2}, {32}, {0}});

// Computes the costs of all passes of a hundred convolutions, with the best split for each. `memory` limits
// the memory bandwidth to 256 GB/s; `buffers` also limits the buffers to 64, 64 and 32 KiB.
void formula_of_100_layers(benchmark::State& state) {
  workload::Model model;
  for (int i = 0; i < 100; ++i) {
    workload::Layer layer;
    layer.name = std::to_string(i);
    layer.ifmap_height = layer.ifmap_width = 58 >> (i / 34);
    layer.filter_height = layer.filter_width = i % 2 == 0 ? 3 : 1;
    layer.channels = 64 << (i / 34);
    layer.filters = 64 << (i / 25);
    model.layers.push_back(layer);
  }
  AcceleratorSpec spec;
  if (state.range(0) != 0) spec.memory_bandwidth = Bandwidth{256'000'000'000};
  if (state.range(1) != 0) spec.buffers = {64 << 10, 64 << 10, 32 << 10};
  const Accelerator accelerator(spec);
  for (const auto& iteration : state) {
    (void)iteration;
    benchmark::DoNotOptimize(accelerator.costs(model, 16));
  }
}
BENCHMARK(formula_of_100_layers)
    ->ArgNames({"memory", "buffers"})
    ->Args({0, 0})
    ->Args({1, 0})
    ->Args({1, 1})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace coppice::bench
