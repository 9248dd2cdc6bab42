#include "accelerator/array/systolic_array.h"

#include <stdexcept>

#include <fmt/format.h>

namespace coppice::accelerator {
namespace {

// The dimensions of a product after they have been laid out on the array.
struct Mapping {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t depth = 0;
};

Mapping map(const workload::Gemm& gemm, Dataflow dataflow) {
  switch (dataflow) {
    case Dataflow::kOutputStationary:
      return {gemm.m, gemm.n, gemm.k};
    case Dataflow::kWeightStationary:
      return {gemm.k, gemm.n, gemm.m};
    case Dataflow::kInputStationary:
      return {gemm.k, gemm.m, gemm.n};
  }
  return {};
}

bool is_empty(const workload::Gemm& gemm) {
  return gemm.count == 0 || gemm.m == 0 || gemm.k == 0 || gemm.n == 0;
}

std::int64_t tiles(std::int64_t size, std::int64_t side) {
  return (size + side - 1) / side;
}

}  // namespace

Dataflow parse_dataflow(const std::string& name) {
  if (name == "output_stationary") return Dataflow::kOutputStationary;
  if (name == "weight_stationary") return Dataflow::kWeightStationary;
  if (name == "input_stationary") return Dataflow::kInputStationary;
  throw std::invalid_argument(fmt::format(
      "'{}' is not a dataflow: write output_stationary, weight_stationary or input_stationary", name));
}

Convention parse_convention(const std::string& name) {
  if (name == "causal") return Convention::kCausal;
  if (name == "scale_sim") return Convention::kScaleSim;
  throw std::invalid_argument(fmt::format("'{}' is not a convention: write causal or scale_sim", name));
}

SystolicArray::SystolicArray(int rows, int columns, Dataflow dataflow, Convention convention, int pe_latency)
    : rows_(rows), columns_(columns), dataflow_(dataflow), convention_(convention), pe_latency_(pe_latency) {
  if (pe_latency < 0) throw std::invalid_argument("the latency of a PE must not be negative");
  if (rows < 1 || columns < 1) {
    throw std::invalid_argument(
        fmt::format("a systolic array needs at least one row and one column, not {}x{}", rows, columns));
  }
}

PeCycles SystolicArray::cycles(const workload::Gemm& gemm) const {
  const Mapping mapping = map(gemm, dataflow_);
  if (is_empty(gemm)) return 0;
  // The sum of r over the tiles in a column of tiles is mapping.rows, and the sum of c over the tiles in a
  // row of tiles is mapping.columns.
  const std::int64_t down = tiles(mapping.rows, rows_);
  const std::int64_t across = tiles(mapping.columns, columns_);
  if (convention_ == Convention::kScaleSim) {
    const std::int64_t drained = dataflow_ == Dataflow::kOutputStationary ? 0 : rows_;
    return gemm.count * down * across * (drained + rows_ + columns_ + mapping.depth - 2);
  }
  return gemm.count * (2 * mapping.rows * across + mapping.columns * down +
                       (mapping.depth - 2 + pe_latency_) * down * across);
}

double SystolicArray::utilization(const workload::Gemm& gemm) const {
  const PeCycles busy = cycles(gemm);
  if (busy == 0) return 0;
  return static_cast<double>(gemm.macs()) / (static_cast<double>(busy) * rows_ * columns_);
}

double SystolicArray::mapping_efficiency(const workload::Gemm& gemm) const {
  if (is_empty(gemm)) return 0;
  const Mapping mapping = map(gemm, dataflow_);
  const auto used = [](std::int64_t size, std::int64_t side) {
    return static_cast<double>(size) / static_cast<double>(tiles(size, side) * side);
  };
  return used(mapping.rows, rows_) * used(mapping.columns, columns_);
}

}  // namespace coppice::accelerator
