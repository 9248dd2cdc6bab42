#pragma once

#include <string>

namespace coppice::system {

// Tolerance for rounding errors in quotients of doubles.
inline constexpr double kRatioRounding = 1e-9;

// Throws a ModelError that names the result's quantity `name` if `part`, which is a fraction of a whole,
// exceeds 1 by more than `rounding`.
void require_part(const std::string& name, double part, double rounding = kRatioRounding);

}  // namespace coppice::system
