#pragma once

#include <string>
#include <vector>

#include "config/loader.h"
#include "routing/instance.h"
#include "topology/networks/clos.h"
#include "topology/topology.h"

namespace coppice::system {

// A training job with its placement and times.
struct PlannedJob {
  std::string name;    // name of the model
  int copy = 1;        // accelerators per copy of the model, which is the number of rings
  int replicas = 2;    // number of copies, which is the number of accelerators per ring
  Bytes gradient = 0;  // bytes that a ring reduces, per accelerator
  Bytes message = 0;   // largest message in a round of the ring
  Femtoseconds arrival = 0;
  Femtoseconds compute = 0;
  std::vector<std::vector<topology::NodeId>> rings;  // [rank][replica]
  std::vector<routing::Flow> flows;                  // ring by ring: from each accelerator to its successor
};

// The initial state of a routing study.
struct ClusterPlan {
  topology::Topology topology;  // a Clos network without the initially failed parts
  std::vector<int> failed_spines;
  std::vector<PlannedJob> jobs;
};

// Throws ConfigError at the responsible key if the topology is not a Clos network, hosts do not evenly divide
// a ToR, no spine is left, jobs do not fit, or failures disconnect jobs. The message names these jobs.
ClusterPlan plan_cluster(const config::Loaded& loaded);

}  // namespace coppice::system
