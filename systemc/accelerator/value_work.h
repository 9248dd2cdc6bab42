#pragma once

#include <cstdint>

#include "workload/layer.h"

namespace coppice::accelerator {

// A pass over a layer without a product: values that are read, changed and written.
struct ValueWork {
  std::int64_t sweeps = 0;  // visits of every output value
  std::int64_t input = 0;   // values read of inputs and gradients
  std::int64_t weight = 0;  // values read of weights
  std::int64_t output = 0;  // values written
};

// The work of a pass for `samples` samples; nullopt if the layer does not multiply.
ValueWork value_work(const workload::Layer& layer, workload::Pass pass, std::int64_t samples);

}  // namespace coppice::accelerator
