#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "accelerator/array/operands.h"
#include "accelerator/array/systolic_array.h"
#include "accelerator/buffers/operand_blocks.h"
#include "accelerator/buffers/tile_pipeline.h"
#include "accelerator/buffers/tiling.h"
#include "accelerator/footprint.h"
#include "accelerator/split.h"
#include "base/units.h"
#include "workload/layer.h"
#include "workload/model.h"
#include "workload/training_timeline.h"

namespace coppice::accelerator {

struct CountedProduct;
struct TileWalk;

// How the cycles of tiles are determined.
enum class Timing {
  kFormula,  // SystolicArray::cycles()
  kArray,    // simulation: operands move through the PEs cycle by cycle, and the product is verified
};

// The Timing of "formula" or "array"; throws std::invalid_argument naming them.
Timing parse_timing(const std::string& name);

// The PEs of `system.accelerator`, with one systolic array each and a common memory.
struct AcceleratorSpec {
  int pes = 16;
  SystolicArray array{32, 32, Dataflow::kOutputStationary};
  Frequency clock{1'000'000'000};
  std::optional<Bandwidth> memory_bandwidth = std::nullopt;  // nullopt: unlimited, as in the MultiTree paper
  Split split = Split::kBest;
  BufferSizes buffers = {};
  Tiling tiling = Tiling::kLeastTraffic;
  Timing timing = Timing::kFormula;
  ElementType operands =
      ElementType::kFp32;  // type that PEs multiply: its size and, with Timing::kArray, its values
};

// The cost of one pass over a layer for an accelerator's whole mini-batch.
struct PassCost {
  workload::Gemm product;      // of the whole mini-batch; count 0: the pass has no product
  PeCycles cycles = 0;         // cycles without waiting for the memory
  PeCycles stall_cycles = 0;   // cycles spent waiting for the memory
  PeCycles memory_cycles = 0;  // cycles in which the memory is moving data
  PeCycles aggregation =
      0;                   // part of `cycles` and `stall_cycles` in which the PEs' weight gradients are added
  Bytes partial_sums = 0;  // weight gradients of all PEs, if they must be added
  double utilization = 0;  // multiply-accumulates relative to the maximum of all PEs in `cycles`
  double mapping_efficiency = 0;  // mean fraction of the arrays' PEs that are in use
  Traffic traffic;
  Split split = Split::kBatch;
  TilePlan plan;

  PeCycles total() const { return cycles + stall_cycles; }
};

// Consecutive tiles, executed `repeats` times.
struct TileSequence {
  std::vector<TileDemand> tiles;
  std::int64_t repeats = 1;
  bool output_stays = false;
};

// An executable pass: its tiles, followed by the addition of the PEs' weight gradients. LayerEngine executes
// it in the machine.
struct PassWork {
  PassCost cost;  // without other users of the memory
  std::vector<TileSequence> runs;
};

// Cycles of one layer in one training iteration, including stalls, for the accelerator's whole mini-batch.
struct LayerCycles {
  PeCycles forward = 0;
  PeCycles input_gradient = 0;
  PeCycles weight_gradient = 0;
  PeCycles local_aggregation = 0;  // addition of the PEs' weight gradients
};

// Computes the cost of layers on one accelerator.
//
// A pass is split over the PEs (Split), and the slowest PE determines its time. If each PE has its own sums
// for the weights, these are added afterwards: each PE adds its share of the weights over all active PEs, one
// addition per array column and cycle. Passes without a product move one value per array column, cycle and
// PE: an embedding moves a table row of `filters` values per pixel, in the forward pass and (adding to the
// table) for the weight gradient, but has no input gradient, since its inputs are indices; a normalization
// sweeps twice over its input and twice over its gradient; a softmax three times and twice; a pooling visits
// every input of every output.
//
// The values of an input gradient are added to it as they leave the array (col2im), one addition per array
// column and cycle, which keeps up with the array and needs no additional cycles.
//
// Tiling::kLeastTraffic considers every order of tiles with its fastest split and chooses the order that
// moves the fewest bytes; among equals, the fastest.
//
// Tiles move from memory to the buffers and back while other tiles are computed (run_pipeline()). The PEs
// work in step, so data that all of them read is transferred once. Each PE writes its weight gradients to
// memory, where they are read for their addition.
class Accelerator {
 public:
  // Throws std::invalid_argument if there is no PE, no clock or no bandwidth, or if Timing::kArray is
  // combined with SCALE-Sim's convention, which an array cannot follow.
  explicit Accelerator(const AcceleratorSpec& spec);

  const AcceleratorSpec& spec() const { return spec_; }

  // The cycles for `batch` >= 1 samples. Throws UnsupportedError if the layer needs more than 2^59
  // multiply-accumulates, a buffer is too small for a tile, or Timing::kArray would need more than 2 GiB of
  // operands; throws ModelError if the array's product is wrong.
  LayerCycles cycles(const workload::Layer& layer, std::int64_t batch) const;
  // The cost of one pass; for the weight gradient, including local aggregation.
  PassCost cost(const workload::Layer& layer, workload::Pass pass, std::int64_t batch) const;
  // The cost of updating a layer's weights.
  PassCost update(const workload::Layer& layer, const Optimizer& optimizer) const;

  // The executable work of a pass; a single tile if the memory is unlimited and therefore never stalls.
  PassWork work(const workload::Layer& layer, workload::Pass pass, std::int64_t batch) const;
  PassWork update_work(const workload::Layer& layer, const Optimizer& optimizer) const;
  // Work of `cycles` (without memory stalls) that reads `load` bytes and writes `store` bytes at an even
  // rate, in pieces, two of which are buffered at a time.
  PassWork stream_work(PeCycles cycles, Bytes load, Bytes store) const;

  // The maximum number of bytes of weight gradients that the PEs hold before adding them.
  Bytes partial_sums(const workload::Model& model, std::int64_t batch) const;

  // The times of every layer of `model`, where the weight gradient includes local aggregation, and of the
  // update by `optimizer`. Throws UnsupportedError naming the layer if its time exceeds the range of
  // Femtoseconds.
  std::vector<workload::LayerCost> costs(const workload::Model& model, std::int64_t batch,
                                         const Optimizer& optimizer = {}) const;

 private:
  struct Division;
  struct Candidate;

  std::vector<CountedProduct> counted(const Share& share, workload::Pass pass) const;
  std::vector<Division> divisions(const workload::Layer& layer, workload::Pass pass,
                                  std::int64_t batch) const;
  Candidate candidate(Division& division, const workload::Layer& layer, workload::Pass pass,
                      std::int64_t batch, Tiling order) const;
  PassWork best(const workload::Layer& layer, workload::Pass pass, std::int64_t batch) const;
  PassWork fastest(std::vector<Division>& divisions, const workload::Layer& layer, workload::Pass pass,
                   std::int64_t batch, Tiling order) const;
  PassWork finished(const Candidate& candidate, const workload::Layer& layer, workload::Pass pass,
                    std::int64_t batch) const;
  PassWork product_work(const Candidate& candidate, workload::Pass pass) const;
  TileWalk walk(const Candidate& candidate, const ProductOperands& operands, const ValueBytes& bytes) const;
  ValueBytes bytes(workload::Pass pass) const;
  PassWork value_work_of(const Division& division, const workload::Layer& layer, workload::Pass pass,
                         std::int64_t batch) const;
  PassWork aggregation(const workload::Layer& layer, std::int64_t batch, std::int64_t partial_sums) const;
  void stream(PassWork& work, std::int64_t values, Bytes load, Bytes store) const;
  void run(PassWork& work, TileSequence run) const;
  PassWork whole(PassWork work) const;
  MemoryPace memory() const { return {spec_.memory_bandwidth, spec_.clock}; }

  AcceleratorSpec spec_;
};

}  // namespace coppice::accelerator
