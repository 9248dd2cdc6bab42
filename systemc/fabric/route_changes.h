#pragma once

#include "topology/topology.h"

namespace coppice::fabric {

// A fabric whose messages can change routes in flight, and whose channels can fail.
class RouteChanges {
 public:
  virtual ~RouteChanges() = default;

  // From the current time on, messages from a port to `dst` use `route`: the rest of a message in flight, and
  // messages waiting with another route. `route` must outlive the run.
  virtual void reroute(topology::NodeId node, int port, topology::NodeId dst,
                       const topology::Route& route) = 0;
  // Sets whether a channel carries anything. Messages over a failed channel are stalled until they are
  // rerouted.
  virtual void set_channel(topology::ChannelId channel, bool alive) = 0;
};

}  // namespace coppice::fabric
