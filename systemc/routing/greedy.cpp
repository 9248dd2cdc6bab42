#include "routing/greedy.h"

#include "routing/load_levels.h"

namespace coppice::routing {

Assignment Greedy::assign(const ClosLinks& links, std::span<const Flow> flows) {
  Assignment spines(flows.size(), kNoSpine);
  LoadLevels loads(links);
  for (std::size_t i = 0; i < flows.size(); ++i) {
    const Flow& flow = flows[i];
    if (flow.local()) continue;
    const int from = loads.up_end(flow.src_tor);
    const int to = loads.down_end(flow.dst_tor);
    spines[i] = loads.least_loaded(from, to);
    if (spines[i] == kNoSpine) require_routable(links, flows);
    loads.add(from, spines[i]);
    loads.add(to, spines[i]);
  }
  return spines;
}

}  // namespace coppice::routing
