#pragma once

#include <vector>

#include "topology/networks/kinds.h"
#include "topology/topology.h"

namespace coppice::topology {

inline constexpr LinkSpec kSampleLink{.bandwidth = {16'000'000'000},
                                      .latency = 150 * kFemtosecondsPerNanosecond};

// The same link specification for each of `dimensions` dimensions.
inline std::vector<LinkSpec> sample_links(std::size_t dimensions) {
  return std::vector<LinkSpec>(dimensions, kSampleLink);
}

inline Topology sample_torus(const std::vector<int>& dims) {
  return make_torus(dims, sample_links(dims.size()));
}
inline Topology sample(Kind kind, const std::vector<int>& dims) {
  return make_topology(kind, dims, sample_links(1));
}
inline Topology sample_mesh(const std::vector<int>& dims) {
  return make_mesh(dims, sample_links(dims.size()));
}

// The destinations of a node's outgoing channels, in port order.
inline std::vector<NodeId> neighbours(const Topology& topology, NodeId node) {
  std::vector<NodeId> result;
  for (const ChannelId id : topology.out_channels(node)) result.push_back(topology.channel(id).dst);
  return result;
}

}  // namespace coppice::topology
