#pragma once

#include "topology/topology.h"

namespace coppice::fabric {

// A fabric in which messages can change routes in flight and channels can fail.
class RouteChanges {
 public:
  virtual ~RouteChanges() = default;

  // From now on, messages from the port to `dst` use `route`. This includes waiting messages and the rest of
  // a message in flight. `route` must outlive the run.
  virtual void reroute(topology::NodeId node, int port, topology::NodeId dst,
                       const topology::Route& route) = 0;
  // Sets whether a channel works. Messages that use a failed channel stall until they are rerouted.
  virtual void set_channel(topology::ChannelId channel, bool alive) = 0;
};

}  // namespace coppice::fabric
