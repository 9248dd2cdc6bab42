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

// How the cycles of tiles are found.
enum class Timing {
  kFormula,  // SystolicArray::cycles()
  kArray,    // operands move through the PEs cycle by cycle, and their product is checked
};

// The Timing of "formula" or "array"; throws std::invalid_argument naming them.
Timing parse_timing(const std::string& name);

// PEs with a systolic array each and one memory, as `system.accelerator` describes them.
struct AcceleratorSpec {
  int pes = 16;
  SystolicArray array{32, 32, Dataflow::kOutputStationary};
  Frequency clock{1'000'000'000};
  std::optional<Bandwidth> memory_bandwidth = std::nullopt;  // none: unlimited, as in the MultiTree paper
  Split split = Split::kBest;
  BufferSizes buffers = {};
  Tiling tiling = Tiling::kLeastTraffic;
  Timing timing = Timing::kFormula;
  ElementType operands =
      ElementType::kFp32;  // what PEs multiply: its size, and in the array's timing its values
};

// The cost of one pass over a layer for an accelerator's whole mini-batch.
struct PassCost {
  workload::Gemm product;         // of the whole mini-batch; count 0: nothing is multiplied
  PeCycles cycles = 0;            // as if the memory were never waited for
  PeCycles stall_cycles = 0;      // waiting for the memory
  PeCycles memory_cycles = 0;     // in which the memory moves something
  PeCycles aggregation = 0;       // the part of both that adds the PEs' weight gradients
  Bytes partial_sums = 0;         // weight gradients of all PEs, where they have to be added
  double utilization = 0;         // multiply-accumulates, as a share of what all PEs could do in `cycles`
  double mapping_efficiency = 0;  // PEs of the arrays that tiles have work for, in their mean
  Traffic traffic;
  Split split = Split::kBatch;
  TilePlan plan;

  PeCycles total() const { return cycles + stall_cycles; }
};

// Tiles that follow one another, `repeats` times.
struct TileSequence {
  std::vector<TileDemand> tiles;
  std::int64_t repeats = 1;
  bool output_stays = false;
};

// An executable pass: its tiles, and the addition of the PEs' weight gradients after them. LayerEngine runs
// it in the machine.
struct PassWork {
  PassCost cost;  // with the memory to itself
  std::vector<TileSequence> runs;
};

// Cycles of one layer in one training iteration, stalls included, for the whole mini-batch of the
// accelerator.
struct LayerCycles {
  PeCycles forward = 0;
  PeCycles input_gradient = 0;
  PeCycles weight_gradient = 0;
  PeCycles local_aggregation = 0;  // adding the PEs' weight gradients into the accelerator's
};

// Computes layers on one accelerator.
//
// A pass is shared out to the PEs (Split), and the slowest decides. Where each PE has a sum of its own for
// the weights, those are then added: each PE adds its share of the weights, a sum of as many values as PEs
// are active, one addition per array column and cycle. What is no product moves one value per array column
// and cycle and PE: an embedding a table row of `filters` values per pixel, forward and (adding into the
// table) as weight gradient, but no input gradient, its inputs are indices; a normalization two sweeps over
// its input and two over its gradient; a softmax three and two; a pooling every input of every output.
//
// The values of an input gradient are added into it as they leave the array (col2im), one addition per array
// column and cycle: it keeps pace with the array and takes no cycle more.
//
// With Tiling::kLeastTraffic, of the orders of tiles, each with its fastest split, the one that moves the
// fewest bytes is taken, and of several the fastest.
//
// Tiles come from the memory into the buffers and leave them while others are computed (run_pipeline()); the
// PEs keep step, so that what all of them read comes once. Weight gradients are written by each PE, read and
// added.
class Accelerator {
 public:
  // Throws std::invalid_argument for fewer than 1 PE, no clock or no bandwidth, and for the array's timing
  // by SCALE-Sim's convention, which it cannot have.
  explicit Accelerator(const AcceleratorSpec& spec);

  const AcceleratorSpec& spec() const { return spec_; }

  // `batch` >= 1 samples. Throws UnsupportedError if they take more than 2^59 multiply-accumulates, a buffer
  // is too small for a tile, or the array's timing would need operands of more than 2 GiB; ModelError if the
  // array's product is wrong.
  LayerCycles cycles(const workload::Layer& layer, std::int64_t batch) const;
  // The cost of one pass; for the weight gradient, including local aggregation.
  PassCost cost(const workload::Layer& layer, workload::Pass pass, std::int64_t batch) const;
  // The update of a layer's weights.
  PassCost update(const workload::Layer& layer, const Optimizer& optimizer) const;

  // The executable work of a pass; with an unlimited memory, which never stalls, a single tile.
  PassWork work(const workload::Layer& layer, workload::Pass pass, std::int64_t batch) const;
  PassWork update_work(const workload::Layer& layer, const Optimizer& optimizer) const;
  // Work that takes `cycles` if memory never stalls it, and evenly reads `load` bytes and writes `store`
  // bytes in pieces, two of which are buffered at a time.
  PassWork stream_work(PeCycles cycles, Bytes load, Bytes store) const;

  // The most weight gradients that the PEs have at a time before they are added, in bytes.
  Bytes partial_sums(const workload::Model& model, std::int64_t batch) const;

  // Every layer of `model` as time, local aggregation within the weight gradient's, and the update by
  // `optimizer`. Throws UnsupportedError naming the layer if it takes longer than Femtoseconds can hold.
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
