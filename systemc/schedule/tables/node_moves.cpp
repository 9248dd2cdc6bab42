#include "schedule/tables/node_moves.h"

#include <bit>
#include <stdexcept>
#include <utility>

namespace coppice::schedule {

Translations::Translations(const std::vector<int>& dims, std::vector<NodeId> nodes,
                           const std::vector<bool>& flips)
    : dimensions_(dims.size()), nodes_(std::move(nodes)), digits_(nodes_.size(), 0) {
  if (dims.empty() || dims.size() > kMostDimensions) {
    throw std::invalid_argument("translations support one to four dimensions");
  }
  if (!flips.empty() && flips.size() != dims.size())
    throw std::invalid_argument("translations need one flip setting per dimension");
  std::size_t count = 1;
  for (std::size_t d = 0; d < dims.size(); ++d) {
    if (dims[d] < 1 || dims[d] > kMostWide)
      throw std::invalid_argument("a dimension has an unsupported width");
    const bool flip = !flips.empty() && flips[d];
    if (flip && !std::has_single_bit(static_cast<unsigned>(dims[d]))) {
      throw std::invalid_argument("flipping bits requires a power-of-two width");
    }
    if (!flip) turned_ |= Digits{0xffff} << (kBits * d);
    strides_[d] = count;
    count *= static_cast<std::size_t>(dims[d]);
    widths_ |= static_cast<Digits>(dims[d]) << (kBits * d);
    to_top_ |= static_cast<Digits>(0x8000 - dims[d]) << (kBits * d);
  }
  if (count != nodes_.size()) throw std::invalid_argument("translations need one node per coordinate tuple");
  std::vector<bool> seen(count, false);
  for (std::size_t index = 0; index < count; ++index) {
    const auto node = static_cast<std::size_t>(nodes_[index]);
    if (nodes_[index] < 0 || node >= count || seen[node])
      throw std::invalid_argument("a node is out of range or occurs twice");
    seen[node] = true;
    for (std::size_t d = 0; d < dims.size(); ++d) {
      const std::size_t coordinate = index / strides_[d] % static_cast<std::size_t>(dims[d]);
      digits_[node] |= static_cast<Digits>(coordinate) << (kBits * d);
    }
  }
}

}  // namespace coppice::schedule
