#pragma once

#include <cstdint>
#include <vector>

#include "accelerator/array/operands.h"
#include "accelerator/array/pe_array.h"
#include "accelerator/array/systolic_array.h"

namespace coppice::accelerator {

// The operands of a tile as they enter the array, and the matrix for its result. Their sizes depend on the
// dataflow:
//   output stationary         left: rows x depth, upper: depth x columns, result: rows x columns
//   weight, input stationary  left: rows x depth, upper: rows x columns (it stays), result: depth x columns
template <typename Value>
struct TileOperands {
  MatrixView<const Value> left;
  MatrixView<const Value> upper;
  MatrixView<Value> result;  // values that leave the array are added to it
};

// Simulates a tile on the PEs, cycle by cycle. Feeders at the left and upper edges delay each lane by one
// cycle more than its neighbour. A collector at the upper edge adds the values that leave the array to the
// result. The phases take the following numbers of cycles:
//   output stationary         stream rows + columns + depth - 2, drain rows
//   weight, input stationary  fill rows, stream rows + columns + depth - 2 (the last row's lane starts first)
// If PEs add products `pe_latency` cycles after their operands arrive, the stream takes `pe_latency` cycles
// more.
template <typename Value>
class TileRun {
 public:
  enum class Phase { kFill, kStream, kDrain, kDone };

  // `operands` must outlive the run. Throws std::invalid_argument if a size is 0 or the sizes do not match.
  TileRun(Dataflow dataflow, const TileOperands<Value>& operands, int pe_latency = 0);

  Phase phase() const { return phase_; }
  PeCycles cycles() const { return cycles_; }  // number of cycles so far
  // The values at the edges of the array in the cycle that the next step() simulates, starting with row 0 and
  // column 0. The left edge is empty during fill; both edges are empty during drain.
  const std::vector<Value>& left_edge() const { return left_edge_; }
  const std::vector<Value>& upper_edge() const { return upper_edge_; }
  const PeArray<Value>& array() const { return array_; }

  // Simulates one cycle. Must not be called after the last cycle.
  void step();
  // Simulates all remaining cycles.
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
  // The edge operands whose products are added in the current cycle of a stream; they entered `pe_latency_`
  // cycles ago.
  std::vector<Value> left_added_;
  std::vector<Value> upper_added_;
  Phase phase_ = Phase::kDone;
  PeCycles in_phase_ = 0;  // number of finished cycles of the current phase
  PeCycles cycles_ = 0;
};

extern template class TileRun<float>;
extern template class TileRun<std::int32_t>;

// Computes out = out + a b (m x k by k x n) tile by tile on an array of rows x columns PEs, and returns the
// number of cycles. Throws std::invalid_argument if the sizes do not match.
template <typename Value>
PeCycles run_product(const SystolicArray& array, MatrixView<const Value> a, MatrixView<const Value> b,
                     MatrixView<Value> out);

extern template PeCycles run_product(const SystolicArray&, MatrixView<const float>, MatrixView<const float>,
                                     MatrixView<float>);
extern template PeCycles run_product(const SystolicArray&, MatrixView<const std::int32_t>,
                                     MatrixView<const std::int32_t>, MatrixView<std::int32_t>);

// The tiles of out = out + a b, in the order in which run_product() computes them.
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
