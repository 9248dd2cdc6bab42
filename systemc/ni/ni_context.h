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

// The objects that all network interfaces of a run share and that must outlive them.
struct NiContext {
  const topology::Topology* topology;
  const config::SystemConfig* system;
  const schedule::Schedule* schedule;
  fabric::Framing framing;
  Femtoseconds period;
  fabric::Fabric* fabric;  // nullptr: the creator binds the interface's `network` ports
  MessageLog* log;
  WakeScheduler* clock;
  const PathTable* paths = nullptr;  // nullptr: messages take the schedule's routes
  bool held = false;                 // tables start with start() instead of with the simulation
};

}  // namespace coppice::ni
