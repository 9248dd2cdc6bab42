#pragma once

#include <cstdint>
#include <vector>

#include "base/units.h"

namespace coppice::system {

// A forward pass that is chained to the preceding all-reduce (C-Cube, Sec. III-D) and is identical on all
// ranks. A layer begins when its gradients have become final in the accelerator's gradient queue and the
// previous layer has begun.
struct GradientChain {
  struct Layer {
    std::int32_t operation = 0;  // index on each rank; the operation also waits for the queue
    Bytes gradients = 0;         // how many bytes at the start of the collective's buffer must be final
  };
  std::int32_t collective = 0;  // index of the all-reduce in the program
  std::vector<Layer> layers;    // in the order of the forward pass; empty: nothing is chained
};

}  // namespace coppice::system
