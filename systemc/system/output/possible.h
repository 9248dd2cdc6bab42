#pragma once

#include <string>

namespace coppice::system {

// Tolerance for rounding errors in quotients of doubles.
inline constexpr double kRatioRounding = 1e-9;

// Throws a ModelError that names the fraction `part` of a result if it exceeds 1, which is impossible, by
// more than `rounding`.
void require_part(const std::string& name, double part, double rounding = kRatioRounding);

}  // namespace coppice::system
