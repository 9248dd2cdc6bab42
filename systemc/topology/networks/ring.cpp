#include "topology/dims.h"
#include "topology/networks/builders.h"

namespace coppice::topology {

Topology make_ring(std::span<const int> dims, std::span<const LinkSpec> links) {
  require_dims(Kind::kRing, dims, 1, "[n]");
  const int size = dims[0];
  require_at_least(Kind::kRing, "accelerators", size, 1);
  require_size(Kind::kRing, dims, size, 2 * std::int64_t{size});
  const LinkSpec link = links_per_level(Kind::kRing, links, 1).front();
  Topology ring(Kind::kRing, {size}, size, 0);
  if (size == 1) return ring;
  for (NodeId node = 0; node < size; ++node) {
    ring.add_channel(node, (node + 1) % size, link.bandwidth, link.latency);
    ring.add_channel(node, (node + size - 1) % size, link.bandwidth, link.latency);
  }
  return ring;
}

}  // namespace coppice::topology
