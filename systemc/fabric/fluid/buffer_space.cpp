#include "fabric/fluid/buffer_space.h"

#include <algorithm>

namespace coppice::fabric {

void BufferSpace::trim(std::span<const std::int32_t> links, std::size_t end, double needed,
                       std::vector<double>& held) {
  for (std::size_t i = held.size(); i-- > 0;) {
    const double keep = i < end ? std::min(held[i], std::max(needed, 0.0)) : 0.0;
    needed -= keep;
    // The ejection channel has no buffer at its end, so its entry in `held` stays 0.
    if (held[i] == keep) continue;
    free_[static_cast<std::size_t>(links[i])] += held[i] - keep;
    held[i] = keep;
  }
}

}  // namespace coppice::fabric
