#pragma once

#include "topology/routing/routing.h"
#include "topology/topology.h"

namespace coppice::ni {

// The paths that hosts received from a controller, used for every message instead of the schedule's routes.
class PathTable {
 public:
  virtual ~PathTable() = default;
  // The route of the next message from `src` to `dst`; valid for the whole run.
  virtual const topology::Route& route(topology::NodeId src, topology::NodeId dst) const = 0;
};

}  // namespace coppice::ni
