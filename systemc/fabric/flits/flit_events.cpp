#include "fabric/flits/flit_events.h"

#include <algorithm>
#include <tuple>

namespace coppice::fabric {

void FlitEvents::flush() {
  // A stable sort suffices because the events of each node are already in order.
  std::stable_sort(kept_.begin(), kept_.end(), [](const Report& a, const Report& b) {
    return std::tuple(a.at, a.stage, a.event.node) < std::tuple(b.at, b.stage, b.event.node);
  });
  for (const Report& kept : kept_) notify(kept.event, kept.packet, kept.at);
  if (remember_) reported_.insert(reported_.end(), kept_.begin(), kept_.end());
  kept_.clear();
}

}  // namespace coppice::fabric
