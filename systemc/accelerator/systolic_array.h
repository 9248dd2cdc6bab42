#pragma once

#include <cstdint>
#include <string>

#include "workload/layer.h"

namespace coppice::accelerator {

// Periods of `system.accelerator.clock`.
using PeCycles = std::int64_t;

// What stays in the array while the other operands move through it.
enum class Dataflow { kOutputStationary, kWeightStationary, kInputStationary };

// The Dataflow of "output_stationary", "weight_stationary" or "input_stationary"; throws
// std::invalid_argument naming them.
Dataflow parse_dataflow(const std::string& name);

// Timing of a systolic array of rows x columns multiply-accumulators. Operands enter at its left and upper
// edges, one value per row and column and cycle, each row and column a cycle after its neighbour; results
// leave by the upper edge. A tile takes the array from its first operand to its last result, and tiles follow
// one another without overlap: SCALE-Sim's analytical model (Samajdar et al. 2020, Sec. III).
class SystolicArray {
 public:
  // Throws std::invalid_argument unless both are at least 1.
  SystolicArray(int rows, int columns, Dataflow dataflow);

  int rows() const { return rows_; }
  int columns() const { return columns_; }

  // A product m x k by k x n is laid out on the array (rows x columns) and streamed past it (depth):
  //   output stationary  m x n, depth k;   weight stationary  k x n, depth m;   input stationary  k x m,
  //   depth n
  // and cut into tiles of at most the array's size. A tile of r x c occupies it for 2 r + c + depth - 2
  // cycles: r to load or drain, r - 1 + c - 1 of skew, depth values through each lane. Tiles at the edges
  // count with the rows and columns that they use.
  PeCycles cycles(const workload::Gemm& gemm) const;

  // Multiply-accumulates done over those that the array could have done meanwhile; 0 if there is no work.
  double utilization(const workload::Gemm& gemm) const;

 private:
  int rows_;
  int columns_;
  Dataflow dataflow_;
};

}  // namespace coppice::accelerator
