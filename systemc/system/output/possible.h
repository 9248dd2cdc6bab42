#pragma once

#include <string>

namespace coppice::system {

// Rounding error of quotients of doubles.
inline constexpr double kRatioRounding = 1e-9;

// Checks a fraction in results: throws ModelError naming it if it exceeds 1 by more than `rounding`, which no
// machine can do.
void require_part(const std::string& name, double part, double rounding = kRatioRounding);

}  // namespace coppice::system
