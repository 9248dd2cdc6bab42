#pragma once

#include <vector>

#include "accelerator/footprint.h"
#include "base/units.h"
#include "workload/model.h"
#include "workload/training_timeline.h"

namespace coppice::accelerator {

// An accelerator described by its peak performance and its memory, for papers that measured GPUs. A pass over
// a layer takes the longer of two times: its multiply-accumulates (two operations each) at `efficiency` of
// the peak, and its operands and results, moved once, at `memory_efficiency` of the memory's bandwidth. The
// gradients with respect to inputs and weights are products of the same size as the forward pass, and an
// update moves the bytes of its optimizer. The same efficiencies apply to all layers: layers that no GPU
// computes at its peak have few operations per byte, so the memory term limits them.
struct Roofline {
  double peak_tflops = 15.7;  // a V100 in fp32
  double efficiency = 0.6;
  Bandwidth memory_bandwidth{900'000'000'000};
  double memory_efficiency = 1;
  Femtoseconds launch = 0;  // per kernel, of which every pass and every update is one

  // The cost of every layer for `batch` >= 1 samples. Throws UnsupportedError naming the layer if a time
  // exceeds the range of Femtoseconds.
  std::vector<workload::LayerCost> costs(const workload::Model& model, std::int64_t batch,
                                         const Optimizer& optimizer = {}) const;
};

}  // namespace coppice::accelerator
