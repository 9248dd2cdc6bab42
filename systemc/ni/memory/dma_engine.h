#pragma once

#include "base/units.h"
#include "ni/memory/gradient_memory.h"

namespace coppice::ni {

// Reads the data of messages from the gradient buffer. The memory serves all ports simultaneously, as the
// paper assumes. The latency from a request to its first flit is always the same.
class DmaEngine {
 public:
  explicit DmaEngine(Cycles latency) : latency_(latency) {}

  // Handles a request issued in cycle `now`. Copies the current data to `data` and returns the cycle in which
  // the first flit is available.
  Cycles request(const GradientMemory& memory, Bytes address, Bytes bytes, Payload& data, Cycles now) const {
    memory.read(address, bytes, data);
    return now + latency_;
  }

 private:
  Cycles latency_;
};

}  // namespace coppice::ni
