#pragma once

#include <nlohmann/json.hpp>

#include "base/units.h"

namespace coppice::system {

// `leap` of a result: the cycles of a run that were simulated, and those that were leapt over.
inline nlohmann::ordered_json leaps(Cycles cycles, Cycles leapt) {
  return {{"simulated_cycles", cycles - leapt}, {"leapt_cycles", leapt}};
}

}  // namespace coppice::system
