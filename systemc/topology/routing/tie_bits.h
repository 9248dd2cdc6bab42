#pragma once

#include <cstdint>

#include "topology/routing/routing.h"

namespace coppice::topology {

// The layout of a packet's tie bits for routing with detours. The highest bit is set once the packet has
// passed its randomly chosen node or group, or if it need not visit it. The next 23 bits select the node or
// group, and the lowest 8 bits break ties.
inline constexpr int kDrawnShift = 8;
inline constexpr std::uint32_t kPassed = std::uint32_t{1} << 31;
inline constexpr std::uint64_t kDrawnValues = std::uint64_t{1} << 23;

inline bool passed(const RouteState& state) {
  return (state.tie_bits & kPassed) != 0;
}

// Returns the randomly chosen number, from 0 to count - 1.
inline int drawn(const RouteState& state, int count) {
  const std::uint64_t value = (state.tie_bits & ~kPassed) >> kDrawnShift;
  return static_cast<int>(value * static_cast<std::uint64_t>(count) / kDrawnValues);
}

// Returns tie bits for which drawn() returns `number`.
inline std::uint32_t draw_bits(int number, int count) {
  const auto n = static_cast<std::uint64_t>(count);
  const std::uint64_t value = (static_cast<std::uint64_t>(number) * kDrawnValues + n - 1) / n;
  return static_cast<std::uint32_t>(value << kDrawnShift);
}

}  // namespace coppice::topology
