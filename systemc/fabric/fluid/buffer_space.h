#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace coppice::fabric {

// The space in the routers' input buffers, which is shared by the messages whose bytes wait there. There is
// one buffer at the end of every link; it has the same index as the link.
class BufferSpace {
 public:
  // `capacities` contains the capacity, in bytes, of the buffer at the end of every link.
  explicit BufferSpace(std::vector<double> capacities) : free_(std::move(capacities)) {}

  // Reserves space for bytes that wait before links[end]: first in the buffer directly before that link, then
  // in buffers further up the route, until `wanted` bytes fit. Uses at most `most(i)` bytes of the buffer at
  // the end of links[i]. `held` contains the number of bytes reserved at the end of each link; this function
  // never reduces it. Returns the number of bytes that fit before links[end].
  template <typename Most>
  double reserve(std::span<const std::int32_t> links, std::size_t end, double wanted, Most most,
                 std::vector<double>& held) {
    held.resize(links.size(), 0);
    double sum = 0;
    for (std::size_t i = end; i-- > 0 && sum < wanted;) {
      double& free = free_[static_cast<std::size_t>(links[i])];
      const double more = std::min({free, most(i) - held[i], wanted - sum - held[i]});
      if (more > 0) {
        free -= more;
        held[i] += more;
      }
      sum += held[i];
    }
    return sum;
  }

  // Releases the space held in excess of `needed` bytes before links[end], beginning with the buffer furthest
  // from that link.
  void trim(std::span<const std::int32_t> links, std::size_t end, double needed, std::vector<double>& held);
  void release(std::span<const std::int32_t> links, std::vector<double>& held) { trim(links, 0, 0, held); }

  double free(std::int32_t link) const { return free_[static_cast<std::size_t>(link)]; }

 private:
  std::vector<double> free_;
};

}  // namespace coppice::fabric
