#pragma once

#include <cstdint>

#include "workload/layer.h"

namespace coppice::accelerator {

// The work of a pass without a product: values are read, modified and written.
struct ValueWork {
  std::int64_t sweeps = 0;  // number of times that every output value is visited
  std::int64_t input = 0;   // number of values read from inputs and gradients
  std::int64_t weight = 0;  // number of values read from weights
  std::int64_t output = 0;  // number of values written
};

// The work of a pass over `samples` samples. All numbers are 0 if the pass has no work.
ValueWork value_work(const workload::Layer& layer, workload::Pass pass, std::int64_t samples);

}  // namespace coppice::accelerator
