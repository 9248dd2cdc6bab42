#pragma once

#include "topology/topology.h"

namespace coppice::fabric {

// A fabric whose messages change their routes while they are under way, and whose channels can fail.
class RouteChanges {
 public:
  virtual ~RouteChanges() = default;

  // From the current time on, what a port sends to `dst` takes `route`: what is left of a message under way,
  // and messages that wait with another route. `route` outlives the run.
  virtual void reroute(topology::NodeId node, int port, topology::NodeId dst,
                       const topology::Route& route) = 0;
  // Whether a channel carries anything. Messages over one that does not stand still until they are rerouted.
  virtual void set_channel(topology::ChannelId channel, bool alive) = 0;
};

}  // namespace coppice::fabric
