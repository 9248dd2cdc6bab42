#pragma once

#include <string>

#include "config/loader.h"
#include "schedule/tables/ni_overhead.h"
#include "system/program/compiled_collectives.h"
#include "workload/program.h"

namespace coppice::system {

// The program of a single collective: `collective.op` among the accelerators of `collective.group` (or all),
// one rank per accelerator. Throws ConfigError at the key for accelerators that do not exist or appear twice,
// and for a root outside the group.
workload::Program make_lone_collective(const config::Loaded& loaded);

// Lower bounds on the lone collective on its group's own network.
GroupBound bound_lone_collective(const config::Loaded& loaded);

// The lone collective, compiled and proven on the group's own network (a switch for a routed group). The
// network's accelerators correspond to compiled.accelerators of the machine.
struct LoneSchedule {
  topology::Topology network;
  CompiledCollective compiled;
  schedule::NiOverhead overhead;
};
LoneSchedule schedule_lone_collective(const config::Loaded& loaded);

// The expected result of a lone collective's run: an estimate that treats each message as a unit
// (schedule::expected_time()) instead of simulating flits.
struct LoneEstimate {
  std::string algorithm;  // the algorithm that runs; in a group, not always the configured one
  std::string chosen;     // the choice of `algorithm: auto` or `nccl`
  double time_ns = 0;     // including the launch
  double algbw_gb_s = 0;
  double busbw_gb_s = 0;
  double bound_ns = 0;    // the larger of the bandwidth and latency bounds
  double efficiency = 0;  // the bound divided by the time; at most 1
  Bytes table_bytes = 0;  // of the accelerator with the largest tables; folded if pieces repeat
};
LoneEstimate estimate_lone_collective(const config::Loaded& loaded);

}  // namespace coppice::system
