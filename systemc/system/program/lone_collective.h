#pragma once

#include <string>

#include "config/loader.h"
#include "schedule/tables/ni_overhead.h"
#include "system/program/compiled_collectives.h"
#include "workload/program.h"

namespace coppice::system {

// The program of a single collective, `collective.op` among the accelerators of `collective.group` (or all),
// one rank each. Throws ConfigError at the key for accelerators that do not exist or appear twice, and for a
// root that is missing.
workload::Program make_lone_collective(const config::Loaded& loaded);

// Its least time on its group's own network.
GroupBound bound_lone_collective(const config::Loaded& loaded);

// The collective on its group's own network, proven; its accelerators are those of the machine in the order
// of compiled.accelerators. For a routed group the network is a switch.
struct LoneSchedule {
  topology::Topology network;
  CompiledCollective compiled;
  schedule::NiOverhead overhead;
};
LoneSchedule schedule_lone_collective(const config::Loaded& loaded);

// The result that its run should have, estimated by executing messages as wholes (schedule's
// expected_time()) instead of simulating them.
struct LoneEstimate {
  std::string algorithm;  // the one that runs: a group may take another
  std::string chosen;     // by `algorithm: auto` or `nccl`
  double time_ns = 0;     // launch included
  double algbw_gb_s = 0;
  double busbw_gb_s = 0;
  double bound_ns = 0;    // the larger of the bounds of bandwidth and latency
  double efficiency = 0;  // the bound over the time, 1 at most
  Bytes table_bytes = 0;  // of the accelerator that has most, folded if its pieces repeat
};
LoneEstimate estimate_lone_collective(const config::Loaded& loaded);

}  // namespace coppice::system
