#pragma once

#include "config/settings/config.h"
#include "fabric/fabric.h"
#include "fabric/flits/flit_events.h"
#include "fabric/flits/received_flits.h"
#include "fabric/packet.h"
#include "topology/networks/adaptive_routing.h"
#include "topology/routing/routing.h"

namespace coppice::fabric {

// State that the routers and terminals of a network share. If several threads simulate the network, each
// thread has a context for its own nodes. Contexts must outlive the modules that use them.
struct FlitContext {
  const config::SystemConfig* system;
  // routes packets without a source route
  const topology::RoutingFunction* routing;
  int hop_limit;  // exceeds the number of hops in any minimal route; a packet with more hops is in a
                  // livelock
  PacketPool packets = {};
  FlitEvents events = {};
  // Set if `routing` depends on the number of flits that wait in routers.
  const topology::DetourRouting* detours = nullptr;
  ReceivedFlits taken = {};
  int thread = 0;  // index among the network's threads
};

}  // namespace coppice::fabric
