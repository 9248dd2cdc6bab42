#pragma once

#include <cstdint>
#include <functional>

#include "base/units.h"

namespace coppice::system {

// Determines when ranks begin the collectives that they have joined. For example, a gate can delay them until
// a controller has assigned paths.
class CollectiveGate {
 public:
  virtual ~CollectiveGate() = default;
  // Called when `rank` joins a collective of the program in cycle `now`. The gate must call `begin` exactly
  // once, immediately or later, with the cycle in which the rank begins; that cycle must not be in the past.
  virtual void join(int rank, std::int32_t collective, Cycles now, std::function<void(Cycles)> begin) = 0;
};

}  // namespace coppice::system
