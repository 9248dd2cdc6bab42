#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/units.h"

namespace coppice::workload {

// A model that is trained with tensor, pipeline and data parallelism. Most of its traffic is due to the
// all-reduces of data parallelism ("Routing for Large ML Models", Sec. 2.1). Weights, gradients and optimizer
// state are fp32.
struct LargeModel {
  std::string name;
  std::int64_t parameters = 0;
  int tensor = 1;    // number of accelerators that share a layer
  int pipeline = 1;  // number of pipeline stages
  // The time of the forward and backward passes of one iteration in the published study's code: 6 x
  // parameters x training tokens, divided by 312 TFLOP/s and interpreted as nanoseconds. This is not a
  // physical time, since it depends neither on the batch nor on the number of accelerators.
  Femtoseconds published_compute = 0;
  Bytes batch_tokens = 0;  // tokens per iteration over all copies, for the physical time

  // The number of accelerators per copy of the model. Each accelerator holds a share of the parameters, and
  // forms a ring with the accelerators that hold the same share in the other copies.
  int copy() const { return tensor * pipeline; }
  // The size of the gradients that one accelerator's ring reduces, rounded up to whole 4-byte elements.
  Bytes gradient_bytes() const { return 4 * ((parameters + copy() - 1) / copy()); }
};

// The models BLOOM, GPT-3 and LLaMA2-70B, with the dimensions in Table 2 of "Routing for Large ML Models".
std::span<const LargeModel> large_models();
std::optional<LargeModel> find_large_model(std::string_view name);

// The time that 6 x parameters x tokens operations take on `accelerators` A100 GPUs, each of which reaches
// the fraction `utilization` of 312 TFLOP/s (bf16).
Femtoseconds physical_compute(const LargeModel& model, int accelerators, double utilization);

}  // namespace coppice::workload
