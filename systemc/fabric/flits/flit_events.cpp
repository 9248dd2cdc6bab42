#include "fabric/flits/flit_events.h"

#include <algorithm>

namespace coppice::fabric {

void FlitEvents::flush() {
  // Every node has told of its events in order.
  std::stable_sort(kept_.begin(), kept_.end(), [](const Told& a, const Told& b) {
    return a.at != b.at ? a.at < b.at : a.stage < b.stage;
  });
  for (const Told& kept : kept_) give(kept.event, kept.packet, kept.at);
  if (remember_) told_.insert(told_.end(), kept_.begin(), kept_.end());
  kept_.clear();
}

}  // namespace coppice::fabric
