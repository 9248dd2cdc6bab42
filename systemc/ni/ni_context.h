#pragma once

#include "config/settings/config.h"
#include "fabric/fabric.h"
#include "fabric/framing.h"
#include "ni/issue/route_override.h"
#include "ni/messages/message_log.h"
#include "ni/wake_scheduler.h"
#include "schedule/tables/schedule.h"
#include "topology/topology.h"

namespace coppice::ni {

// The objects that all network interfaces of a run share; outlives them.
struct NiContext {
  const topology::Topology* topology;
  const config::SystemConfig* system;
  const schedule::Schedule* schedule;
  fabric::Framing framing;
  Femtoseconds period;
  fabric::Fabric* fabric;  // none: the interface's `network` ports are bound by who makes it
  MessageLog* log;
  WakeScheduler* clock;
  const PathTable* paths = nullptr;  // none: messages take the schedule's routes
  bool held = false;                 // tables start with start(), not with the simulation
};

}  // namespace coppice::ni
