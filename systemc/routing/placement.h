#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "topology/topology.h"

namespace coppice::routing {

// The policy that places jobs on accelerators, in whole hosts. All accelerators of one copy of a model are
// placed together.
enum class Placement {
  kRandomHosts,  // free hosts anywhere, as described in the paper
  kRandomTors,   // random ToRs, each with all its free accelerators, as in the published study's code
  kBestFit,      // the fullest ToR that can hold the copy; otherwise several ToRs, emptiest first
};

const char* to_string(Placement placement);

struct ClusterShape {
  int per_tor = 32;
  int tors = 64;
  int host = 8;  // accelerators per host; divides per_tor
};

struct JobShape {
  int copy = 48;     // accelerators per copy of the model
  int replicas = 2;  // number of copies
};

// Returns the accelerator of every rank in every copy: [job][replica][rank]. A job that does not fit into the
// remaining hosts has no copies. No host is shared between jobs.
std::vector<std::vector<std::vector<topology::NodeId>>> place_jobs(const ClusterShape& cluster,
                                                                   const std::vector<JobShape>& jobs,
                                                                   Placement placement, std::uint64_t seed);

}  // namespace coppice::routing
