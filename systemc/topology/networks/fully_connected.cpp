#include "topology/dims.h"
#include "topology/networks/builders.h"

namespace coppice::topology {

Topology make_fully_connected(std::span<const int> dims, std::span<const LinkSpec> links) {
  require_dims(Kind::kFullyConnected, dims, 1, "[n]");
  const int size = dims[0];
  require_at_least(Kind::kFullyConnected, "accelerators", size, 1);
  require_size(Kind::kFullyConnected, dims, size, std::int64_t{size} * (size - 1));
  const LinkSpec link = links_per_level(Kind::kFullyConnected, links, 1).front();
  Topology topology(Kind::kFullyConnected, {size}, size, 0);
  for (NodeId src = 0; src < size; ++src) {
    for (NodeId dst = 0; dst < size; ++dst) {
      if (src != dst) topology.add_channel(src, dst, link.bandwidth, link.latency);
    }
  }
  return topology;
}

}  // namespace coppice::topology
