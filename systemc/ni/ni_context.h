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

// The objects that all network interfaces of a run share. They must outlive the interfaces.
struct NiContext {
  const topology::Topology* topology;
  const config::SystemConfig* system;
  const schedule::Schedule* schedule;
  fabric::Framing framing;
  Femtoseconds period;
  fabric::Fabric* fabric;  // nullptr: whoever creates the interface binds its `network` ports
  MessageLog* log;
  WakeScheduler* clock;
  const PathTable* paths = nullptr;  // nullptr: messages use the routes of the schedule
  bool held = false;                 // whether the tables wait for start()
};

}  // namespace coppice::ni
