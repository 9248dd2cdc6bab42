#include "routing/edge_coloring.h"

#include "base/error.h"
#include "routing/spine_balancer.h"

namespace coppice::routing {

Assignment EdgeColoring::assign(const ClosLinks& links, std::span<const Flow> flows) {
  require_routable(links, flows);
  Assignment spines(flows.size(), kNoSpine);
  const int colors = busiest_degree(links, flows);
  if (colors == 0) return spines;
  // A colour is a spine of a network that has one per colour, with one flow to a link.
  const ClosLinks palette(links.tors(), colors);
  SpineBalancer coloring(palette, flows);
  coloring.cap_all(1);
  for (std::size_t i = 0; i < flows.size(); ++i) {
    if (!flows[i].local() && !coloring.place(i))
      throw ModelError("a bipartite graph of degree D needs D colours");
  }
  const bool uniform = links.uniform();
  std::vector<int> live;
  for (std::size_t i = 0; i < flows.size(); ++i) {
    if (flows[i].local()) continue;
    if (live.empty() || !uniform) live = links.live_spines(flows[i].src_tor, flows[i].dst_tor);
    spines[i] = live[static_cast<std::size_t>(coloring.spines()[i]) % live.size()];
  }
  return spines;
}

}  // namespace coppice::routing
