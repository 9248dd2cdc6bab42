#pragma once

#include <optional>
#include <vector>

#include "accelerator/array/systolic_array.h"
#include "base/units.h"
#include "workload/layer.h"
#include "workload/model.h"
#include "workload/training_timeline.h"

namespace coppice::accelerator {

// PEs with a systolic array each and one memory, as `system.accelerator` describes them.
struct AcceleratorSpec {
  int pes = 16;
  SystolicArray array{32, 32, Dataflow::kOutputStationary};
  Frequency clock{1'000'000'000};
  std::optional<Bandwidth> memory_bandwidth;  // none: unlimited, as in the MultiTree paper
};

// Cycles of one layer in one training iteration, for the whole mini-batch of the accelerator.
struct LayerCycles {
  PeCycles forward = 0;
  PeCycles input_gradient = 0;
  PeCycles weight_gradient = 0;
  PeCycles local_aggregation = 0;  // adding the PEs' weight gradients into the accelerator's
};

// Computes layers on one accelerator.
//
// The mini-batch is split over the PEs: each takes ceil(batch / pes) samples but the last that has any, and
// the slowest decides. Weight gradients of the active PEs are then added: each PE adds its share of the
// weights, a sum of as many values as PEs are active, one addition per array column and cycle. An embedding
// moves a table row of `filters` values per pixel, one value per array column and cycle, forward and (adding
// into the table) as weight gradient; it has no input gradient, its inputs are indices.
//
// The values of an input gradient are added into it as they leave the array (col2im), one addition per array
// column and cycle: it keeps pace with the array and takes no cycle more.
//
// Memory traffic overlaps computation (double buffering), so a pass takes the longer of the two. Buffers are
// as large as needed: a pass reads each operand and writes each result once; weights are read once for all
// PEs, weight gradients are written by each PE, read and added.
class Accelerator {
 public:
  // Throws std::invalid_argument for fewer than 1 PE, no clock or no bandwidth.
  explicit Accelerator(const AcceleratorSpec& spec);

  // `batch` >= 1 samples.
  LayerCycles cycles(const workload::Layer& layer, std::int64_t batch) const;

  // Every layer of `model` as time, local aggregation within the weight gradient's. Throws UnsupportedError
  // naming the layer if it takes longer than Femtoseconds can hold.
  std::vector<workload::LayerCost> costs(const workload::Model& model, std::int64_t batch) const;

 private:
  PeCycles bounded_by_memory(PeCycles computation, std::int64_t elements) const;
  PeCycles pass_cycles(const workload::Layer& layer, workload::Pass pass, std::int64_t batch) const;
  std::int64_t pass_elements(const workload::Layer& layer, workload::Pass pass, std::int64_t batch) const;
  PeCycles aggregation_cycles(const workload::Layer& layer, std::int64_t batch) const;
  std::int64_t samples_per_pe(std::int64_t batch) const;
  std::int64_t active_pes(std::int64_t batch) const;

  AcceleratorSpec spec_;
};

}  // namespace coppice::accelerator
