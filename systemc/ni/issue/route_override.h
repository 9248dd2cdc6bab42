#pragma once

#include "topology/routing/routing.h"
#include "topology/topology.h"

namespace coppice::ni {

// The paths that a controller has sent to the hosts. Every message uses them instead of the schedule's
// routes.
class PathTable {
 public:
  virtual ~PathTable() = default;
  // The route of the next message from `src` to `dst`. It stays valid for the whole run.
  virtual const topology::Route& route(topology::NodeId src, topology::NodeId dst) const = 0;
};

}  // namespace coppice::ni
