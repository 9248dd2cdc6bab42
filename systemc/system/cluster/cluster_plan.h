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
  std::string name;    // name of its model
  int copy = 1;        // accelerators in a full copy, and so the number of rings
  int replicas = 2;    // number of copies, and so accelerators in a ring
  Bytes gradient = 0;  // per accelerator: the bytes that its ring reduces
  Bytes message = 0;   // the largest of one round of the ring
  Femtoseconds arrival = 0;
  Femtoseconds compute = 0;
  std::vector<std::vector<topology::NodeId>> rings;  // [rank][replica]
  std::vector<routing::Flow> flows;                  // ring by ring, from each accelerator to the next
};

// The jobs that a routing study simulates, before anything moves.
struct ClusterPlan {
  topology::Topology topology;  // a Clos network without the parts that have failed from the start
  std::vector<int> failed_spines;
  std::vector<PlannedJob> jobs;
};

// Throws ConfigError at the responsible key: a topology other than a Clos network, hosts that do not divide a
// ToR, more failures than spines, jobs that do not fit, jobs that the failures disconnect (named).
ClusterPlan plan_cluster(const config::Loaded& loaded);

}  // namespace coppice::system
