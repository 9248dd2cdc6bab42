#include "routing/edge_coloring.h"

#include <cstdint>
#include <vector>

#include "base/edge_coloring.h"

namespace coppice::routing {

Assignment EdgeColoring::assign(const ClosLinks& links, std::span<const Flow> flows) {
  require_routable(links, flows);
  Assignment spines(flows.size(), kNoSpine);
  std::vector<std::size_t> between;  // indices of flows that use a spine
  std::vector<BipartiteEdge> edges;
  for (std::size_t i = 0; i < flows.size(); ++i) {
    if (flows[i].local()) continue;
    between.push_back(i);
    edges.push_back({flows[i].src_tor, flows[i].dst_tor});
  }
  const std::vector<std::int32_t> colors = color_edges(edges);
  const bool uniform = links.uniform();
  std::vector<int> live;
  for (std::size_t edge = 0; edge < between.size(); ++edge) {
    const std::size_t i = between[edge];
    if (live.empty() || !uniform) live = links.live_spines(flows[i].src_tor, flows[i].dst_tor);
    spines[i] = live[static_cast<std::size_t>(colors[edge]) % live.size()];
  }
  return spines;
}

}  // namespace coppice::routing
