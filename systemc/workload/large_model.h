#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/units.h"

namespace coppice::workload {

// A model that is trained with tensor, pipeline and data parallelism; the all-reduces of data parallelism
// dominate its traffic ("Routing for Large ML Models", Sec. 2.1). Weights, gradients and optimizer state are
// fp32.
struct LargeModel {
  std::string name;
  std::int64_t parameters = 0;
  int tensor = 1;    // accelerators that share a layer
  int pipeline = 1;  // stages of layers
  // The time of the forward and backward passes of one iteration, as in the code of the published study: 6 x
  // parameters x training tokens divided by 312 TFLOP/s, interpreted as nanoseconds. This is not a physical
  // time; it depends neither on the batch nor on the number of accelerators.
  Femtoseconds published_compute = 0;
  Bytes batch_tokens = 0;  // per iteration over all replicas, for the physical time

  // The number of accelerators of a full copy; each holds a share of the parameters and forms a ring with its
  // counterparts in the other copies.
  int copy() const { return tensor * pipeline; }
  // The size of the gradients that the ring of one accelerator reduces: a whole number of 4-byte elements.
  Bytes gradient_bytes() const { return 4 * ((parameters + copy() - 1) / copy()); }
};

// BLOOM, GPT-3 and LLaMA2-70B with the dimensions of the paper's Table 2.
std::span<const LargeModel> large_models();
std::optional<LargeModel> find_large_model(std::string_view name);

// The time of 6 x parameters x tokens operations on `accelerators` of 312 TFLOP/s (A100, bf16) at
// `utilization` of that rate.
Femtoseconds physical_compute(const LargeModel& model, int accelerators, double utilization);

}  // namespace coppice::workload
