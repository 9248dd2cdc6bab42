#pragma once

#include <vector>

#include "accelerator/footprint.h"
#include "base/units.h"
#include "workload/model.h"
#include "workload/training_timeline.h"

namespace coppice::accelerator {

// An accelerator described by its peak performance and its memory, for papers that measured GPUs. A pass over
// a layer takes the longer of two times: the time for its multiply-accumulates (two operations each) at
// the fraction `efficiency` of the peak performance, and the time for moving its operands and results once
// at the fraction `memory_efficiency` of the memory bandwidth. The input and weight gradients are products of
// the same size as the forward pass, and an update moves the bytes that its optimizer needs. The same
// efficiencies apply to all layers: layers that reach only a small fraction of a GPU's peak have few
// operations per byte, so the memory limits them.
struct Roofline {
  double peak_tflops = 15.7;  // a V100 GPU in fp32
  double efficiency = 0.6;
  Bandwidth memory_bandwidth{900'000'000'000};
  double memory_efficiency = 1;
  Femtoseconds launch = 0;  // launch time of a kernel; every pass and every update is one kernel

  // The cost of every layer for `batch` >= 1 samples. Throws an UnsupportedError that names the layer if a
  // time exceeds the range of Femtoseconds.
  std::vector<workload::LayerCost> costs(const workload::Model& model, std::int64_t batch,
                                         const Optimizer& optimizer = {}) const;
};

}  // namespace coppice::accelerator
