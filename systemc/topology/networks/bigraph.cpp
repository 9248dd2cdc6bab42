#include <fmt/format.h>

#include "base/error.h"
#include "topology/dims.h"
#include "topology/networks/builders.h"

namespace coppice::topology {

Topology make_bigraph(std::span<const int> dims, std::span<const LinkSpec> links) {
  require_dims(Kind::kBigraph, dims, 2, "[accelerators per switch, switches]");
  const int per_switch = dims[0];
  const int switches = dims[1];
  require_at_least(Kind::kBigraph, "accelerators per switch", per_switch, 1);
  require_at_least(Kind::kBigraph, "switches", switches, 2);
  if (switches % 2 != 0) {
    throw UnsupportedError(fmt::format(
        "a bigraph cannot have {} switches: write an even number, because each layer has half of them",
        switches));
  }
  const std::int64_t accelerators = std::int64_t{per_switch} * switches;
  require_size(Kind::kBigraph, dims, accelerators + switches,
               2 * accelerators + std::int64_t{switches} * switches / 2);
  const std::vector<LinkSpec> levels = links_per_level(Kind::kBigraph, links, 2);

  Topology topology(Kind::kBigraph, {dims.begin(), dims.end()}, static_cast<int>(accelerators), switches);
  const auto add = [&](NodeId src, NodeId dst, int level) {
    const LinkSpec& link = levels[static_cast<std::size_t>(level)];
    topology.add_channel(src, dst, link.bandwidth, link.latency, level);
  };
  const auto first_switch = static_cast<NodeId>(accelerators);
  for (NodeId node = 0; node < first_switch; ++node) add(node, first_switch + node / per_switch, 0);
  for (int s = 0; s < switches; ++s) {
    for (int i = 0; i < per_switch; ++i) add(first_switch + s, s * per_switch + i, 0);
    const int half = switches / 2;
    const int other_layer = s < half ? half : 0;
    for (int i = 0; i < half; ++i) add(first_switch + s, first_switch + other_layer + i, 1);
  }
  return topology;
}

}  // namespace coppice::topology
