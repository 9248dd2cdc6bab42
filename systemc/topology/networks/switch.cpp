#include "topology/dims.h"
#include "topology/networks/builders.h"

namespace coppice::topology {

Topology make_switch(std::span<const int> dims, std::span<const LinkSpec> links) {
  require_dims(Kind::kSwitch, dims, 1, "[n]");
  const int size = dims[0];
  require_at_least(Kind::kSwitch, "accelerators", size, 1);
  require_size(Kind::kSwitch, dims, size, 2 * std::int64_t{size});
  const LinkSpec link = links_per_level(Kind::kSwitch, links, 1).front();
  Topology topology(Kind::kSwitch, {size}, size, 1);
  for (NodeId node = 0; node < size; ++node) topology.add_channel(node, size, link.bandwidth, link.latency);
  for (NodeId node = 0; node < size; ++node) topology.add_channel(size, node, link.bandwidth, link.latency);
  return topology;
}

}  // namespace coppice::topology
