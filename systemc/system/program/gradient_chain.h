#pragma once

#include <cstdint>
#include <vector>

#include "base/units.h"

namespace coppice::system {

// A forward pass chained to the preceding all-reduce, the same on all ranks (C-Cube, Sec. III-D): every
// accelerator has a gradient queue, whose layers begin in order as their gradients become final there.
struct GradientChain {
  struct Layer {
    std::int32_t operation = 0;  // on each rank; waits for the queue in addition to its predecessors
    Bytes gradients = 0;         // the first bytes of the collective's buffer, which must be final
  };
  std::int32_t collective = 0;  // index in the program
  std::vector<Layer> layers;    // in the order of the pass; empty: nothing is chained
};

}  // namespace coppice::system
