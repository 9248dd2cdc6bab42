#include "base/readable_time.h"

#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace coppice {

std::string readable_time(double nanoseconds) {
  constexpr double kRounded = 0.99995;  // from this value on, rounding to four digits reaches the next unit
  constexpr std::array<std::pair<double, std::string_view>, 3> kUnits{{{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}}};
  for (const auto& [scale, unit] : kUnits) {
    const double value = nanoseconds / scale;
    if (std::abs(value) >= 1e4) return fmt::format("{:.0f} {}", value, unit);
    if (std::abs(value) >= kRounded) return fmt::format("{:.4g} {}", value, unit);
  }
  return fmt::format("{:.4g} ns", nanoseconds);
}

}  // namespace coppice
