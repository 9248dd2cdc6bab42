#pragma once

#include <cstdint>
#include <optional>

#include "base/units.h"

namespace coppice {

// Computes the time in which a memory moves data, in whole cycles of `clock`; zero if its bandwidth is
// unlimited.
struct MemoryPace {
  std::optional<Bandwidth> bandwidth;
  Frequency clock{1'000'000'000};

  // The cycles to move `bytes`, rounded up; at most the longest time that can be simulated.
  std::int64_t cycles(Bytes bytes) const;
};

}  // namespace coppice
