#pragma once

#include <cstdint>
#include <functional>

#include "base/units.h"

namespace coppice::system {

// Says when the ranks of a program begin the collectives that they have joined: a controller that prepares
// the network for them first.
class CollectiveGate {
 public:
  virtual ~CollectiveGate() = default;
  // `rank` joins a collective of the program in cycle `now`. `begin` is to be called once, now or later, with
  // the cycle in which the rank begins, which is to come.
  virtual void join(int rank, std::int32_t collective, Cycles now, std::function<void(Cycles)> begin) = 0;
};

}  // namespace coppice::system
