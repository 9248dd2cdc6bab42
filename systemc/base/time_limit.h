#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "base/error.h"
#include "base/units.h"

namespace coppice {

// `count` times `each`, both 0 or more. Throws TimeLimitError instead of wrapping: wherever a number of
// bytes, flits or cycles becomes a time.
inline Femtoseconds checked_time(std::int64_t count, Femtoseconds each) {
  Femtoseconds time = 0;
  if (__builtin_mul_overflow(count, each, &time) || time > kLongestTime) throw TimeLimitError("the run");
  return time;
}

// So much later than `time`; both are 0 or more. Throws TimeLimitError.
inline Femtoseconds checked_sum(Femtoseconds time, Femtoseconds by) {
  Femtoseconds sum = 0;
  if (__builtin_add_overflow(time, by, &sum) || sum > kLongestTime) throw TimeLimitError("the run");
  return sum;
}

// `count` times `each`, capped at kLongestTime: for times that are only compared.
inline Femtoseconds capped_time(std::int64_t count, Femtoseconds each) {
  Femtoseconds time = 0;
  return __builtin_mul_overflow(count, each, &time) ? kLongestTime : std::min(time, kLongestTime);
}

}  // namespace coppice
