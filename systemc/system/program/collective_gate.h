#pragma once

#include <cstdint>
#include <functional>

#include "base/units.h"

namespace coppice::system {

// Determines when the ranks of a program begin the collectives that they have joined: for example, a
// controller that prepares the network first.
class CollectiveGate {
 public:
  virtual ~CollectiveGate() = default;
  // `rank` joins a collective of the program in cycle `now`. `begin` must be called once, now or later, with
  // the cycle in which the rank begins, which must not have passed.
  virtual void join(int rank, std::int32_t collective, Cycles now, std::function<void(Cycles)> begin) = 0;
};

}  // namespace coppice::system
