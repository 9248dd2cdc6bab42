#pragma once

#include <cstdint>
#include <string>

#include "workload/layer.h"

namespace coppice::accelerator {

// Periods of `system.accelerator.clock`.
using PeCycles = std::int64_t;

// The operand that stays in the array while the others move through it.
enum class Dataflow { kOutputStationary, kWeightStationary, kInputStationary };

// The Dataflow of "output_stationary", "weight_stationary" or "input_stationary"; throws
// std::invalid_argument naming them.
Dataflow parse_dataflow(const std::string& name);

// Which cycles of a tile count.
enum class Convention {
  kCausal,  // all, from its first operand to its last result; tiles at the edges count with the rows and
            // columns in use
  // As in SCALE-Sim: every tile counts as large as the array, and an output-stationary tile counts without
  // the cycles in which its results leave.
  kScaleSim,
};

// The Convention of "causal" or "scale_sim"; throws std::invalid_argument naming them.
Convention parse_convention(const std::string& name);

// The timing of a systolic array of rows x columns multiply-accumulators. Operands enter at its left and
// upper edges, one value per cycle in each row and column, each row and column one cycle after its neighbour;
// results leave at the upper edge. A tile occupies the array from its first operand to its last result, and
// tiles follow one another without overlap (Samajdar et al. 2020, Sec. III). TileRun moves every value and
// needs the same number of cycles.
class SystolicArray {
 public:
  // Throws std::invalid_argument unless both sizes are at least 1 and `pe_latency` (see pe_latency()) is not
  // negative.
  SystolicArray(int rows, int columns, Dataflow dataflow, Convention convention = Convention::kCausal,
                int pe_latency = 0);

  int rows() const { return rows_; }
  int columns() const { return columns_; }
  Dataflow dataflow() const { return dataflow_; }
  Convention convention() const { return convention_; }
  // Cycles from the arrival of a PE's operands until it adds their product: 0, or the number of registers
  // between its multiplier and its adder. They extend every tile, except in SCALE-Sim's convention.
  int pe_latency() const { return pe_latency_; }

  // The cycles of a product m x k by k x n. Two of its dimensions are laid out on the array (rows x columns)
  // and the third is streamed past them (depth):
  //   output stationary  m x n, depth k;   weight stationary  k x n, depth m;   input stationary  k x m,
  //   depth n
  // The product is cut into tiles of at most the array's size. A tile of r x c occupies the array for 2 r + c
  // + depth - 2 cycles: r to load or drain, r - 1 + c - 1 of skew, and depth values through each lane. Tiles
  // at the edges count with the rows and columns in use. In SCALE-Sim's convention, every tile has the
  // array's size, and an output-stationary tile needs r cycles fewer.
  PeCycles cycles(const workload::Gemm& gemm) const;

  // Multiply-accumulates performed relative to the number possible in the same time; 0 if there is no work.
  double utilization(const workload::Gemm& gemm) const;

  // The mean fraction of PEs in use, over all tiles; 0 if there are none.
  double mapping_efficiency(const workload::Gemm& gemm) const;

 private:
  int rows_;
  int columns_;
  Dataflow dataflow_;
  Convention convention_;
  int pe_latency_;
};

}  // namespace coppice::accelerator
