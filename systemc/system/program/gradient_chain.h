#pragma once

#include <cstdint>
#include <vector>

#include "base/units.h"

namespace coppice::system {

// A forward pass chained to the preceding all-reduce, identical on all ranks (C-Cube, Sec. III-D). Layers
// begin in order as their gradients become final in the accelerator's gradient queue.
struct GradientChain {
  struct Layer {
    std::int32_t operation = 0;  // index on each rank; waits for the queue in addition to its predecessors
    Bytes gradients = 0;         // number of leading bytes of the collective's buffer that must be final
  };
  std::int32_t collective = 0;  // index in the program
  std::vector<Layer> layers;    // in the order of the forward pass; empty: nothing is chained
};

}  // namespace coppice::system
