#pragma once

#include <cstdint>
#include <optional>

#include "base/units.h"

namespace coppice {

// How long a memory takes to move data, in whole cycles of `clock`; nothing where it is unlimited.
struct MemoryPace {
  std::optional<Bandwidth> bandwidth;
  Frequency clock{1'000'000'000};

  // Rounded up; more than can be simulated becomes the most that can be.
  std::int64_t cycles(Bytes bytes) const;
};

}  // namespace coppice
