#pragma once

#include <cstdint>
#include <vector>

#include "accelerator/array/operands.h"
#include "accelerator/array/pe_array.h"
#include "accelerator/array/systolic_array.h"

namespace coppice::accelerator {

// The operands of a tile as they enter the array, and the matrix for its result.
//   output stationary        left: rows x depth, upper: depth x columns, result: rows x columns
//   weight, input stationary left: rows x depth, upper: rows x columns (it stays), result: depth x columns
template <typename Value>
struct TileOperands {
  MatrixView<const Value> left;
  MatrixView<const Value> upper;
  MatrixView<Value> result;  // values that leave the array are added to it
};

// Simulates a tile on the PEs, cycle by cycle: feeders at the left and upper edges delay each lane by one
// cycle more than its neighbour, and a collector at the upper edge adds the values that leave to the result.
//   output stationary         stream rows + columns + depth - 2 cycles, drain rows
//   weight, input stationary  fill rows, stream rows + columns + depth - 2: the last row's lane first
// If PEs add products `pe_latency` cycles after their operands arrive, streaming takes that many cycles more.
template <typename Value>
class TileRun {
 public:
  enum class Phase { kFill, kStream, kDrain, kDone };

  // `operands` must outlive the run. Throws std::invalid_argument if a size is 0 or sizes do not match.
  TileRun(Dataflow dataflow, const TileOperands<Value>& operands, int pe_latency = 0);

  Phase phase() const { return phase_; }
  PeCycles cycles() const { return cycles_; }  // so far
  // The values at the array's edges in the cycle of the next step(), beginning with row 0 and column 0. The
  // left edge is empty during fill; both edges are empty during drain.
  const std::vector<Value>& left_edge() const { return left_edge_; }
  const std::vector<Value>& upper_edge() const { return upper_edge_; }
  const PeArray<Value>& array() const { return array_; }

  // Runs one cycle; must not be called after the last one.
  void step();
  // Runs all remaining cycles.
  void finish();

 private:
  bool output_stationary() const { return dataflow_ == Dataflow::kOutputStationary; }
  PeCycles phase_length() const;
  void begin(Phase phase);
  void prepare_edges();
  const std::vector<Value>& added_now(const std::vector<Value>& edge, const std::vector<Value>& late) const {
    return pe_latency_ > 0 ? late : edge;
  }
  void skew_edges(PeCycles cycle, std::vector<Value>& left, std::vector<Value>& upper) const;
  void collect();

  Dataflow dataflow_;
  TileOperands<Value> operands_;
  PeCycles depth_;
  PeCycles pe_latency_;
  PeArray<Value> array_;
  std::vector<Value> left_edge_;
  std::vector<Value> upper_edge_;
  // During a stream, the edge operands whose products are added in this cycle; they entered `pe_latency_`
  // cycles ago.
  std::vector<Value> left_added_;
  std::vector<Value> upper_added_;
  Phase phase_ = Phase::kDone;
  PeCycles in_phase_ = 0;  // finished cycles of the current phase
  PeCycles cycles_ = 0;
};

extern template class TileRun<float>;
extern template class TileRun<std::int32_t>;

// Computes out = out + a b (m x k by k x n) on an array of rows x columns PEs, tile by tile, and returns the
// number of cycles. Throws std::invalid_argument if sizes do not match.
template <typename Value>
PeCycles run_product(const SystolicArray& array, MatrixView<const Value> a, MatrixView<const Value> b,
                     MatrixView<Value> out);

extern template PeCycles run_product(const SystolicArray&, MatrixView<const float>, MatrixView<const float>,
                                     MatrixView<float>);
extern template PeCycles run_product(const SystolicArray&, MatrixView<const std::int32_t>,
                                     MatrixView<const std::int32_t>, MatrixView<std::int32_t>);

// The tiles of out = out + a b in the order in which run_product() computes them.
template <typename Value>
std::vector<TileOperands<Value>> tiles_of(const SystolicArray& array, MatrixView<const Value> a,
                                          MatrixView<const Value> b, MatrixView<Value> out);

extern template std::vector<TileOperands<float>> tiles_of(const SystolicArray&, MatrixView<const float>,
                                                          MatrixView<const float>, MatrixView<float>);
extern template std::vector<TileOperands<std::int32_t>> tiles_of(const SystolicArray&,
                                                                 MatrixView<const std::int32_t>,
                                                                 MatrixView<const std::int32_t>,
                                                                 MatrixView<std::int32_t>);

}  // namespace coppice::accelerator
