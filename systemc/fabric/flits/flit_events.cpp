#include "fabric/flits/flit_events.h"

#include <algorithm>
#include <tuple>

namespace coppice::fabric {

void FlitEvents::flush() {
  // Every node has reported its events in order.
  std::stable_sort(kept_.begin(), kept_.end(), [](const Told& a, const Told& b) {
    return std::tuple(a.at, a.stage, a.event.node) < std::tuple(b.at, b.stage, b.event.node);
  });
  for (const Told& kept : kept_) give(kept.event, kept.packet, kept.at);
  if (remember_) told_.insert(told_.end(), kept_.begin(), kept_.end());
  kept_.clear();
}

}  // namespace coppice::fabric
