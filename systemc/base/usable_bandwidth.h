#pragma once

#include <cmath>

#include "base/units.h"

namespace coppice {

// The bandwidth that messages can use on a link: the fraction `efficiency` of the nominal bandwidth.
inline Bandwidth usable_bandwidth(Bandwidth nominal, double efficiency) {
  if (efficiency == 1) return nominal;
  return {std::llround(static_cast<double>(nominal.bytes_per_second) * efficiency)};
}

}  // namespace coppice
