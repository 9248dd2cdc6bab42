#pragma once

#include <cstdint>
#include <string>

#include "workload/layer.h"

namespace coppice::accelerator {

// A number of periods of `system.accelerator.clock`.
using PeCycles = std::int64_t;

// The operand that stays in the array while the other operands move through it.
enum class Dataflow { kOutputStationary, kWeightStationary, kInputStationary };

// Converts "output_stationary", "weight_stationary" or "input_stationary" to a Dataflow. For other names,
// throws a std::invalid_argument that lists the valid names.
Dataflow parse_dataflow(const std::string& name);

// The convention for counting the cycles of a tile.
enum class Convention {
  // Counts all cycles from the first operand to the last result. A tile at the edge has only the size of the
  // rows and columns in use.
  kCausal,
  // The convention of SCALE-Sim: every tile counts as if it were as large as the array, and the cycles in
  // which the results of an output-stationary tile leave do not count.
  kScaleSim,
};

// Converts "causal" or "scale_sim" to a Convention. For other names, throws a std::invalid_argument that
// lists the valid names.
Convention parse_convention(const std::string& name);

// The timing of a systolic array of rows x columns multiply-accumulators. Operands enter at its left and
// upper edges, one value per cycle in each row and column. Each row and each column starts one cycle after
// its neighbour. Results leave at the upper edge. A tile occupies the array from its first operand to its
// last result, and tiles follow one another without overlap (Samajdar et al. 2020, Sec. III). TileRun, which
// simulates every value, takes the same number of cycles.
class SystolicArray {
 public:
  // Throws std::invalid_argument if a size is less than 1 or `pe_latency` is negative.
  SystolicArray(int rows, int columns, Dataflow dataflow, Convention convention = Convention::kCausal,
                int pe_latency = 0);

  int rows() const { return rows_; }
  int columns() const { return columns_; }
  Dataflow dataflow() const { return dataflow_; }
  Convention convention() const { return convention_; }
  // The number of cycles from the arrival of a PE's operands until the PE adds their product: 0, or the
  // number of registers between its multiplier and its adder. These cycles extend every tile, except in
  // SCALE-Sim's convention.
  int pe_latency() const { return pe_latency_; }

  // The number of cycles that the product of an m x k and a k x n matrix takes. Two of the three dimensions
  // are laid out on the array (rows x columns), and the third is streamed through it (depth):
  //   output stationary  m x n, depth k
  //   weight stationary  k x n, depth m
  //   input stationary   k x m, depth n
  // The product is cut into tiles that are no larger than the array. A tile of r x c occupies the array for 2
  // r + c + depth - 2 cycles: r to load or drain, r - 1 + c - 1 of skew, and depth values through each lane.
  // For tiles at the edges, only the rows and columns in use count. In SCALE-Sim's convention, every tile has
  // the array's size, and an output-stationary tile needs r cycles fewer.
  PeCycles cycles(const workload::Gemm& gemm) const;

  // The number of multiply-accumulates performed, relative to the maximum in the same time; 0 if there is no
  // work.
  double utilization(const workload::Gemm& gemm) const;

  // The mean fraction of PEs in use over all tiles; 0 if there are no tiles.
  double mapping_efficiency(const workload::Gemm& gemm) const;

 private:
  int rows_;
  int columns_;
  Dataflow dataflow_;
  Convention convention_;
  int pe_latency_;
};

}  // namespace coppice::accelerator
