#pragma once

#include <string>

namespace coppice::system {

// Quotients of doubles.
inline constexpr double kRatioRounding = 1e-9;

// For parts of a whole in results: throws ModelError naming the one that is above 1 by more than `rounding`,
// which no machine can do.
void require_part(const std::string& name, double part, double rounding = kRatioRounding);

}  // namespace coppice::system
