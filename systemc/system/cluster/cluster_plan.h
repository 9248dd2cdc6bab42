#pragma once

#include <string>
#include <vector>

#include "config/loader.h"
#include "routing/instance.h"
#include "topology/networks/clos.h"
#include "topology/topology.h"

namespace coppice::system {

// A training job, the accelerators on which it runs, and the times of its arrival and computation.
struct PlannedJob {
  std::string name;    // name of the model
  int copy = 1;        // number of accelerators per copy of the model, and of rings
  int replicas = 2;    // number of copies of the model, and of accelerators per ring
  Bytes gradient = 0;  // size of one accelerator's gradients, which a ring reduces
  Bytes message = 0;   // size of the largest message that the ring sends
  Femtoseconds arrival = 0;
  Femtoseconds compute = 0;
  std::vector<std::vector<topology::NodeId>> rings;  // [rank][replica]: its accelerator
  std::vector<routing::Flow> flows;  // ring by ring: from every accelerator to the next one in the ring
};

// The initial state of a routing study.
struct ClusterPlan {
  topology::Topology topology;  // the Clos network without the links and spines that have failed
  std::vector<int> failed_spines;
  std::vector<PlannedJob> jobs;
};

// Throws ConfigError at the responsible key if the topology is not a Clos network, a ToR's accelerators
// cannot be divided evenly into hosts, no spine is alive, jobs do not fit, or failures disconnect jobs. In
// the last two cases, the message names the jobs.
ClusterPlan plan_cluster(const config::Loaded& loaded);

}  // namespace coppice::system
