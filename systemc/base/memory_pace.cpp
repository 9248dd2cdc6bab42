#include "base/memory_pace.h"

#include <algorithm>
#include <limits>

namespace coppice {
namespace {

constexpr std::int64_t kLongest = std::numeric_limits<std::int64_t>::max() / 8;

}  // namespace

std::int64_t MemoryPace::cycles(Bytes bytes) const {
  if (!bandwidth) return 0;
  // A 64-bit division takes a quarter of the time of a 128-bit division and is nearly always sufficient.
  std::int64_t product = 0;
  if (!__builtin_mul_overflow(bytes, clock.hertz, &product)) {
    const std::int64_t rest = product % bandwidth->bytes_per_second;
    return std::min(product / bandwidth->bytes_per_second + (rest == 0 ? 0 : 1), kLongest);
  }
  __extension__ using Wide = unsigned __int128;
  const auto rate = static_cast<Wide>(bandwidth->bytes_per_second);
  const Wide scaled = static_cast<Wide>(bytes) * static_cast<Wide>(clock.hertz);
  return static_cast<std::int64_t>(std::min((scaled + rate - 1) / rate, static_cast<Wide>(kLongest)));
}

}  // namespace coppice
