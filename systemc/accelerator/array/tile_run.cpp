#include "accelerator/array/tile_run.h"

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <type_traits>

namespace coppice::accelerator {
namespace {

template <typename Value>
Value add(Value a, Value b) {
  if constexpr (std::is_floating_point_v<Value>) {
    return a + b;
  } else {
    using Wrapping = std::make_unsigned_t<Value>;
    return static_cast<Value>(static_cast<Wrapping>(a) + static_cast<Wrapping>(b));
  }
}

// The value that enters lane `lane` in the given cycle. Each lane is delayed by `lane` cycles. Returns 0
// before the first value and after the last.
template <typename At>
auto skewed(PeCycles cycle, PeCycles lane, PeCycles depth, At at) -> decltype(at(cycle)) {
  const PeCycles time = cycle - lane;
  return time >= 0 && time < depth ? at(time) : decltype(at(cycle)){};
}

template <typename Value>
void require_sizes(bool output_stationary, const TileOperands<Value>& tile) {
  const bool agree = output_stationary
                         ? tile.upper.rows == tile.left.columns && tile.result.rows == tile.left.rows
                         : tile.upper.rows == tile.left.rows && tile.result.rows == tile.left.columns;
  if (tile.left.rows < 1 || tile.left.columns < 1 || tile.upper.columns < 1) {
    throw std::invalid_argument("a tile has no operands");
  }
  if (!agree || tile.result.columns != tile.upper.columns) {
    throw std::invalid_argument("the sizes of a tile's operands and result do not match");
  }
}

}  // namespace

template <typename Value>
TileRun<Value>::TileRun(Dataflow dataflow, const TileOperands<Value>& operands, int pe_latency)
    : dataflow_(dataflow),
      operands_(operands),
      depth_(operands.left.columns),
      pe_latency_(pe_latency),
      array_((require_sizes(dataflow == Dataflow::kOutputStationary, operands),
              static_cast<int>(operands.left.rows)),
             static_cast<int>(operands.upper.columns)),
      left_edge_(array_.rows()),
      upper_edge_(array_.columns()),
      left_added_(array_.rows()),
      upper_added_(array_.columns()) {
  begin(output_stationary() ? Phase::kStream : Phase::kFill);
}

template <typename Value>
PeCycles TileRun<Value>::phase_length() const {
  if (phase_ != Phase::kStream) return operands_.left.rows;
  return operands_.left.rows + operands_.upper.columns + depth_ - 2 + pe_latency_;
}

template <typename Value>
void TileRun<Value>::begin(Phase phase) {
  phase_ = phase;
  in_phase_ = 0;
  prepare_edges();
}

template <typename Value>
void TileRun<Value>::prepare_edges() {
  const auto rows = static_cast<PeCycles>(array_.rows());
  const auto columns = static_cast<PeCycles>(array_.columns());
  if (phase_ == Phase::kFill) {
    // The last row enters first, because it has the farthest to go.
    const PeCycles row = rows - 1 - in_phase_;
    for (PeCycles j = 0; j < columns; ++j) {
      upper_edge_[static_cast<std::size_t>(j)] = operands_.upper.at(row, j);
    }
    return;
  }
  if (phase_ != Phase::kStream) return;
  skew_edges(in_phase_, left_edge_, upper_edge_);
  if (pe_latency_ > 0) skew_edges(in_phase_ - pe_latency_, left_added_, upper_added_);
}

// Sets the values of both edges in cycle `cycle` of a stream.
template <typename Value>
void TileRun<Value>::skew_edges(PeCycles cycle, std::vector<Value>& left, std::vector<Value>& upper) const {
  const auto rows = static_cast<PeCycles>(array_.rows());
  for (PeCycles i = 0; i < rows; ++i) {
    // The skew starts with the first row if sums are stationary, and with the last row if sums move up.
    const PeCycles lane = output_stationary() ? i : rows - 1 - i;
    left[static_cast<std::size_t>(i)] =
        skewed(cycle, lane, depth_, [&](PeCycles time) -> Value { return operands_.left.at(i, time); });
  }
  if (!output_stationary()) return;
  for (PeCycles j = 0; j < static_cast<PeCycles>(array_.columns()); ++j) {
    upper[static_cast<std::size_t>(j)] =
        skewed(cycle, j, depth_, [&](PeCycles time) -> Value { return operands_.upper.at(time, j); });
  }
}

// Collects the values at the upper edge: a row of draining sums, or sums completed in row 0.
template <typename Value>
void TileRun<Value>::collect() {
  const auto top = array_.top();
  const auto columns = static_cast<PeCycles>(array_.columns());
  for (PeCycles j = 0; j < columns; ++j) {
    const PeCycles row = phase_ == Phase::kDrain
                             ? in_phase_
                             : in_phase_ - pe_latency_ - (static_cast<PeCycles>(array_.rows()) - 1 + j);
    if (row < 0 || row >= operands_.result.rows) continue;
    Value& sum = operands_.result.at(row, j);
    sum = add(sum, top[static_cast<std::size_t>(j)]);
  }
}

template <typename Value>
void TileRun<Value>::step() {
  switch (phase_) {
    case Phase::kFill:
      array_.load(upper_edge_);
      break;
    case Phase::kStream:
      if (output_stationary()) {
        array_.multiply_in_place(added_now(left_edge_, left_added_), added_now(upper_edge_, upper_added_));
      } else {
        array_.multiply_past(added_now(left_edge_, left_added_));
        collect();
      }
      break;
    case Phase::kDrain:
      collect();
      array_.drain();
      break;
    case Phase::kDone:
      throw std::logic_error("a finished tile has no further cycle");
  }
  ++cycles_;
  ++in_phase_;
  if (in_phase_ < phase_length()) {
    prepare_edges();
  } else if (phase_ == Phase::kFill) {
    begin(Phase::kStream);
  } else {
    begin(phase_ == Phase::kStream && output_stationary() ? Phase::kDrain : Phase::kDone);
  }
}

template <typename Value>
void TileRun<Value>::finish() {
  while (phase_ != Phase::kDone) step();
}

template <typename Value>
std::vector<TileOperands<Value>> tiles_of(const SystolicArray& array, MatrixView<const Value> a,
                                          MatrixView<const Value> b, MatrixView<Value> out) {
  if (a.columns != b.rows || out.rows != a.rows || out.columns != b.columns) {
    throw std::invalid_argument("the sizes of a product's operands and result do not match");
  }
  const bool stays = array.dataflow() == Dataflow::kOutputStationary;
  const bool inputs = array.dataflow() == Dataflow::kInputStationary;
  const MatrixView<const Value> left = stays ? a : inputs ? b : a.transposed();
  const MatrixView<const Value> upper = inputs ? a.transposed() : b;
  const MatrixView<Value> result = inputs ? out.transposed() : out;
  std::vector<TileOperands<Value>> tiles;
  for (std::int64_t row = 0; row < left.rows; row += array.rows()) {
    const std::int64_t height = std::min<std::int64_t>(array.rows(), left.rows - row);
    for (std::int64_t column = 0; column < upper.columns; column += array.columns()) {
      const std::int64_t width = std::min<std::int64_t>(array.columns(), upper.columns - column);
      tiles.push_back(
          {left.block(row, 0, height, left.columns),
           stays ? upper.block(0, column, upper.rows, width) : upper.block(row, column, height, width),
           stays ? result.block(row, column, height, width) : result.block(0, column, result.rows, width)});
    }
  }
  return tiles;
}

template <typename Value>
PeCycles run_product(const SystolicArray& array, MatrixView<const Value> a, MatrixView<const Value> b,
                     MatrixView<Value> out) {
  PeCycles cycles = 0;
  for (const TileOperands<Value>& tile : tiles_of(array, a, b, out)) {
    TileRun<Value> run(array.dataflow(), tile, array.pe_latency());
    run.finish();
    cycles += run.cycles();
  }
  return cycles;
}

template class TileRun<float>;
template class TileRun<std::int32_t>;
template std::vector<TileOperands<float>> tiles_of(const SystolicArray&, MatrixView<const float>,
                                                   MatrixView<const float>, MatrixView<float>);
template std::vector<TileOperands<std::int32_t>> tiles_of(const SystolicArray&,
                                                          MatrixView<const std::int32_t>,
                                                          MatrixView<const std::int32_t>,
                                                          MatrixView<std::int32_t>);
template PeCycles run_product(const SystolicArray&, MatrixView<const float>, MatrixView<const float>,
                              MatrixView<float>);
template PeCycles run_product(const SystolicArray&, MatrixView<const std::int32_t>,
                              MatrixView<const std::int32_t>, MatrixView<std::int32_t>);

}  // namespace coppice::accelerator
