#pragma once

#include "config/settings/config.h"
#include "fabric/fabric.h"
#include "fabric/flits/flit_events.h"
#include "fabric/flits/taken_flits.h"
#include "fabric/packet.h"
#include "topology/networks/adaptive_routing.h"
#include "topology/routing/routing.h"

namespace coppice::fabric {

// State shared by the routers and terminals of a network, or of one thread if there are several; outlives
// them.
struct FlitContext {
  const config::SystemConfig* system;
  // For packets without a source route.
  const topology::RoutingFunction* routing;
  int hop_limit;  // more hops than any minimal route: livelock
  PacketPool packets = {};
  FlitEvents events = {};
  const topology::DetourRouting* detours = nullptr;  // `routing` if it looks at what waits in routers
  TakenFlits taken = {};
  int thread = 0;  // which of the network's, from 0
};

}  // namespace coppice::fabric
