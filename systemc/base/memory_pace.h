#pragma once

#include <cstdint>
#include <optional>

#include "base/units.h"

namespace coppice {

// The time that a memory takes to move data, in whole cycles of `clock`; zero if it is unlimited.
struct MemoryPace {
  std::optional<Bandwidth> bandwidth;
  Frequency clock{1'000'000'000};

  // Rounded up, and capped at the longest time that can be simulated.
  std::int64_t cycles(Bytes bytes) const;
};

}  // namespace coppice
