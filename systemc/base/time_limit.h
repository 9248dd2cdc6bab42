#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "base/error.h"
#include "base/units.h"

namespace coppice {

// Returns `count` times `each`, which must both be non-negative. Throws TimeLimitError instead of wrapping.
// Use this function wherever a number of bytes, flits or cycles is converted to a time.
inline Femtoseconds checked_time(std::int64_t count, Femtoseconds each) {
  Femtoseconds time = 0;
  if (__builtin_mul_overflow(count, each, &time) || time > kLongestTime) throw TimeLimitError("the run");
  return time;
}

// Returns the sum of `time` and `by`, which must both be non-negative. Throws TimeLimitError instead of
// wrapping.
inline Femtoseconds checked_sum(Femtoseconds time, Femtoseconds by) {
  Femtoseconds sum = 0;
  if (__builtin_add_overflow(time, by, &sum) || sum > kLongestTime) throw TimeLimitError("the run");
  return sum;
}

// Returns `count` times `each`, but at most kLongestTime. Use this function for times that are only compared.
inline Femtoseconds capped_time(std::int64_t count, Femtoseconds each) {
  Femtoseconds time = 0;
  return __builtin_mul_overflow(count, each, &time) ? kLongestTime : std::min(time, kLongestTime);
}

}  // namespace coppice
