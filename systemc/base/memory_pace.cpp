#include "base/memory_pace.h"

#include <algorithm>
#include <limits>

namespace coppice {

std::int64_t MemoryPace::cycles(Bytes bytes) const {
  if (!bandwidth) return 0;
  __extension__ using Wide = unsigned __int128;
  const auto rate = static_cast<Wide>(bandwidth->bytes_per_second);
  const Wide scaled = static_cast<Wide>(bytes) * static_cast<Wide>(clock.hertz);
  constexpr auto kLongest = static_cast<Wide>(std::numeric_limits<std::int64_t>::max() / 8);
  return static_cast<std::int64_t>(std::min((scaled + rate - 1) / rate, kLongest));
}

}  // namespace coppice
