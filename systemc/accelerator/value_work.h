#pragma once

#include <cstdint>

#include "workload/layer.h"

namespace coppice::accelerator {

// The work of a pass without a product: values that are read, modified and written.
struct ValueWork {
  std::int64_t sweeps = 0;  // visits of every output value
  std::int64_t input = 0;   // values read from inputs and gradients
  std::int64_t weight = 0;  // values read from weights
  std::int64_t output = 0;  // values written
};

// The work of a pass over `samples` samples; all zeros if the pass has none.
ValueWork value_work(const workload::Layer& layer, workload::Pass pass, std::int64_t samples);

}  // namespace coppice::accelerator
