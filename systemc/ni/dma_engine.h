#pragma once

#include "base/units.h"
#include "ni/gradient_memory.h"

namespace coppice::ni {

// Reads a message's data from the gradient buffer. The memory keeps up with all ports at once (the paper's
// assumption); a request costs a fixed latency until its first flit.
class DmaEngine {
 public:
  DmaEngine(Cycles latency, const GradientMemory& memory) : latency_(latency), memory_(&memory) {}

  // A request issued at cycle `now`: the data as it is then, and the cycle of its first flit.
  struct Read {
    Payload payload;
    Cycles ready;
  };
  Read request(Bytes address, Bytes bytes, Cycles now) const {
    return {memory_->read(address, bytes), now + latency_};
  }

 private:
  Cycles latency_;
  const GradientMemory* memory_;
};

}  // namespace coppice::ni
