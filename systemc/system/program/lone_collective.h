#pragma once

#include <nlohmann/json.hpp>

#include "config/loader.h"
#include "schedule/tables/ni_overhead.h"
#include "system/program/compiled_collectives.h"
#include "workload/program.h"

namespace coppice::system {

// The program of a single collective, `collective.op` among the accelerators of `collective.group` (or all),
// one rank each. Throws ConfigError at the key for accelerators that do not exist or appear twice, and for a
// root that is missing.
workload::Program make_lone_collective(const config::Loaded& loaded);

// The least time of it on its group's own network.
GroupBound bound_lone_collective(const config::Loaded& loaded);

// The collective on its group's own network, proven; its accelerators are those of the machine in the order
// of compiled.accelerators. For a routed group the network is a switch.
struct LoneSchedule {
  topology::Topology network;
  CompiledCollective compiled;
  schedule::NiOverhead overhead;
};
LoneSchedule schedule_lone_collective(const config::Loaded& loaded);

}  // namespace coppice::system
