#pragma once

#include "base/units.h"
#include "ni/memory/gradient_memory.h"

namespace coppice::ni {

// Reads a message's data from the gradient buffer. The memory serves all ports simultaneously (the paper's
// assumption); a request has a fixed latency until its first flit.
class DmaEngine {
 public:
  explicit DmaEngine(Cycles latency) : latency_(latency) {}

  // Handles a request issued in cycle `now`: copies the current data to `data` and returns the cycle of its
  // first flit.
  Cycles request(const GradientMemory& memory, Bytes address, Bytes bytes, Payload& data, Cycles now) const {
    memory.read(address, bytes, data);
    return now + latency_;
  }

 private:
  Cycles latency_;
};

}  // namespace coppice::ni
