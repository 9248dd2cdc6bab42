#pragma once

#include <string>
#include <vector>

#include "config/loader.h"
#include "routing/instance.h"
#include "topology/networks/clos.h"
#include "topology/topology.h"

namespace coppice::system {

// A training job with its place and times.
struct PlannedJob {
  std::string name;    // of its model
  int copy = 1;        // accelerators of a full copy, and rings
  int replicas = 2;    // copies, and accelerators of a ring
  Bytes gradient = 0;  // of one accelerator: what its ring reduces
  Bytes message = 0;   // of one round of the ring, the largest
  Femtoseconds arrival = 0;
  Femtoseconds compute = 0;
  std::vector<std::vector<topology::NodeId>> rings;  // [rank][replica]
  std::vector<routing::Flow> flows;                  // ring by ring, each accelerator to the next
};

// The jobs that a routing study simulates, before anything moves.
struct ClusterPlan {
  topology::Topology topology;  // a Clos network without what has failed from the start
  std::vector<int> failed_spines;
  std::vector<PlannedJob> jobs;
};

// Throws ConfigError at the responsible key: a topology other than a Clos network, hosts that do not divide a
// ToR, more failures than spines, jobs that do not fit, jobs that the failures cut off (named).
ClusterPlan plan_cluster(const config::Loaded& loaded);

}  // namespace coppice::system
