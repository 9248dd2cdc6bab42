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

// The method that determines the number of cycles of a tile.
enum class Timing {
  kFormula,  // the formula of SystolicArray::cycles()
  kArray,    // simulation: operands move through the PEs cycle by cycle, and the product is verified
};

// Converts "formula" or "array" to a Timing. For other names, throws a std::invalid_argument that lists the
// valid names.
Timing parse_timing(const std::string& name);

// An accelerator as configured in `system.accelerator`: PEs with one systolic array each and a common memory.
struct AcceleratorSpec {
  int pes = 16;
  SystolicArray array{32, 32, Dataflow::kOutputStationary};
  Frequency clock{1'000'000'000};
  std::optional<Bandwidth> memory_bandwidth = std::nullopt;  // nullopt: unlimited, as in the MultiTree paper
  Split split = Split::kBest;
  BufferSizes buffers = {};
  Tiling tiling = Tiling::kLeastTraffic;
  Timing timing = Timing::kFormula;
  ElementType operands = ElementType::kFp32;  // type of the operands: determines their size and, with
                                              // Timing::kArray, their values
};

// The cost of one pass over a layer for the whole mini-batch of an accelerator.
struct PassCost {
  workload::Gemm product;      // product over the whole mini-batch; its count is 0 if the pass has none
  PeCycles cycles = 0;         // cycles without waiting for the memory
  PeCycles stall_cycles = 0;   // cycles spent waiting for the memory
  PeCycles memory_cycles = 0;  // cycles in which the memory is moving data
  // The part of `cycles` and `stall_cycles` in which the PEs' weight gradients are added.
  PeCycles aggregation = 0;
  Bytes partial_sums = 0;         // total size of the PEs' weight gradients if they must be added up
  double utilization = 0;         // multiply-accumulates divided by the most that all PEs can do in `cycles`
  double mapping_efficiency = 0;  // mean fraction of an array's PEs that are in use
  Traffic traffic;
  Split split = Split::kBatch;
  TilePlan plan;

  PeCycles total() const { return cycles + stall_cycles; }
};

// Consecutive tiles that are executed `repeats` times in a row.
struct TileSequence {
  std::vector<TileDemand> tiles;
  std::int64_t repeats = 1;
  bool output_stays = false;
};

// A pass that can be executed: its tiles, followed by the addition of the PEs' weight gradients. LayerEngine
// executes it in the machine.
struct PassWork {
  PassCost cost;  // cost if nothing else uses the memory
  std::vector<TileSequence> runs;
};

// The cycles of a layer in one training iteration, including stalls, for the whole mini-batch of the
// accelerator.
struct LayerCycles {
  PeCycles forward = 0;
  PeCycles input_gradient = 0;
  PeCycles weight_gradient = 0;
  PeCycles local_aggregation = 0;  // cycles for adding up the PEs' weight gradients
};

// Computes the cost of layers on an accelerator.
//
// A pass is split over the PEs (Split), and the slowest PE determines the time of the pass. If each PE has
// its own sums for the weights, these sums are added afterwards: for its share of the weights, each PE adds
// the sums of all active PEs, with one addition per array column per cycle. Passes without a product move one
// value per array column per cycle in each PE. An embedding moves a table row of `filters` values per pixel
// in the forward pass, and adds to such rows for the weight gradient. It has no input gradient, because its
// inputs are indices. A normalization sweeps twice over its input in the forward pass and twice over its
// gradient in the backward pass; a softmax sweeps three times in the forward pass and twice in the backward
// pass. A pooling layer visits all inputs of every output.
//
// The values of an input gradient are added up as they leave the array (col2im). The adders handle one value
// per array column per cycle, so they keep up with the array and need no additional cycles.
//
// Tiling::kLeastTraffic considers every order of tiles with the fastest split for that order, and chooses the
// order that moves the fewest bytes or, if several do, the fastest of these.
//
// Tiles move from memory to the buffers and back while other tiles are computed (run_pipeline()). The PEs
// work in step, so data that all of them read is transferred once. Each PE writes its weight gradients to
// memory, from which they are read to be added up.
class Accelerator {
 public:
  // Throws std::invalid_argument if the number of PEs, the clock in Hz or the bandwidth in B/s is less than
  // 1. Also throws if Timing::kArray is combined with SCALE-Sim's convention, whose cycles cannot be
  // reproduced by an array.
  explicit Accelerator(const AcceleratorSpec& spec);

  const AcceleratorSpec& spec() const { return spec_; }

  // The cycles of a layer for `batch` >= 1 samples. Throws UnsupportedError if the layer needs more than 2^59
  // multiply-accumulates, if a buffer is too small for a tile, or if Timing::kArray would need more than 2
  // GiB of operands. Throws ModelError if the array computes a wrong product.
  LayerCycles cycles(const workload::Layer& layer, std::int64_t batch) const;
  // The cost of one pass. For the weight gradient, this includes local aggregation.
  PassCost cost(const workload::Layer& layer, workload::Pass pass, std::int64_t batch) const;
  // The cost of updating a layer's weights.
  PassCost update(const workload::Layer& layer, const Optimizer& optimizer) const;

  // The executable work of a pass. If the memory bandwidth is unlimited, so that the arrays never stall, the
  // work is a single tile.
  PassWork work(const workload::Layer& layer, workload::Pass pass, std::int64_t batch) const;
  PassWork update_work(const workload::Layer& layer, const Optimizer& optimizer) const;
  // Work that takes `cycles` without memory stalls, and that reads `load` bytes and writes `store` bytes at a
  // constant rate. It is divided into pieces, two of which are buffered at a time.
  PassWork stream_work(PeCycles cycles, Bytes load, Bytes store) const;

  // The number of bytes of weight gradients that the PEs hold before adding them up; the maximum over all
  // layers.
  Bytes partial_sums(const workload::Model& model, std::int64_t batch) const;

  // The times of all layers of `model` and of their updates by `optimizer`. The time of the weight gradient
  // includes local aggregation. Throws an UnsupportedError that names the layer if a layer's time exceeds the
  // range of Femtoseconds.
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
