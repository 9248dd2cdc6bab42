#pragma once

#include <string>

#include "config/loader.h"
#include "schedule/tables/ni_overhead.h"
#include "system/program/compiled_collectives.h"
#include "workload/program.h"

namespace coppice::system {

// The program that consists of the configured collective: `collective.op` among the accelerators of
// `collective.group`, or among all accelerators, with one rank each. Throws ConfigError at the key if an
// accelerator does not exist or appears twice, or if the root is outside the group.
workload::Program make_lone_collective(const config::Loaded& loaded);

// Lower bounds on the time of the configured collective, on its group's own network.
GroupBound bound_lone_collective(const config::Loaded& loaded);

// The configured collective, compiled and checked on its group's own network, which is a switch for a routed
// group. Accelerator i of this network is accelerator compiled.accelerators[i] of the machine.
struct LoneSchedule {
  topology::Topology network;
  CompiledCollective compiled;
  schedule::NiOverhead overhead;
};
LoneSchedule schedule_lone_collective(const config::Loaded& loaded);

// The expected result of a run of the configured collective. It is an estimate that treats each message as a
// unit (schedule::expected_time()) instead of simulating flits.
struct LoneEstimate {
  // The algorithm that would run, which for a group may differ from the configured one.
  std::string algorithm;
  std::string chosen;  // the algorithm that `auto` or `nccl` chooses
  double time_ns = 0;  // includes the launch
  double algbw_gb_s = 0;
  double busbw_gb_s = 0;
  double bound_ns = 0;    // the larger of the bandwidth and latency bounds
  double efficiency = 0;  // the bound divided by the time; at most 1
  Bytes table_bytes = 0;  // the largest size among accelerators; folded if pieces repeat
};
LoneEstimate estimate_lone_collective(const config::Loaded& loaded);

}  // namespace coppice::system
