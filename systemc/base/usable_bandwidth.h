#pragma once

#include <cmath>

#include "base/units.h"

namespace coppice {

// The part of a link's bandwidth that messages can use; `efficiency` is its fraction.
inline Bandwidth usable_bandwidth(Bandwidth nominal, double efficiency) {
  if (efficiency == 1) return nominal;
  return {std::llround(static_cast<double>(nominal.bytes_per_second) * efficiency)};
}

}  // namespace coppice
