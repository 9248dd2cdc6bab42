#pragma once

#include <vector>

#include "topology/topology.h"

namespace coppice::topology {

inline constexpr LinkSpec kSampleLink{.bandwidth = {16'000'000'000},
                                      .latency = 150 * kFemtosecondsPerNanosecond};

// Equal links for every dimension.
inline std::vector<LinkSpec> sample_links(std::size_t dimensions) {
  return std::vector<LinkSpec>(dimensions, kSampleLink);
}

inline Topology sample_torus(const std::vector<int>& dims) {
  return make_torus(dims, sample_links(dims.size()));
}
inline Topology sample_mesh(const std::vector<int>& dims) {
  return make_mesh(dims, sample_links(dims.size()));
}

}  // namespace coppice::topology
