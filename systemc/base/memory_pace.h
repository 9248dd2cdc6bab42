#pragma once

#include <cstdint>
#include <optional>

#include "base/units.h"

namespace coppice {

// Computes how long a memory takes to move data, in whole cycles of `clock`. The time is zero if the
// bandwidth is unlimited.
struct MemoryPace {
  std::optional<Bandwidth> bandwidth;
  Frequency clock{1'000'000'000};

  // The number of cycles to move `bytes`, rounded up, but at most the longest time that can be simulated.
  std::int64_t cycles(Bytes bytes) const;
};

}  // namespace coppice
