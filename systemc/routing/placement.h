#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "topology/topology.h"

namespace coppice::routing {

// The policy that places jobs on accelerators, in units of whole hosts. All accelerators of a model's copy
// are placed together.
enum class Placement {
  kRandomHosts,  // free hosts anywhere (as described in the paper)
  kRandomTors,   // random ToRs, each with all its free accelerators (as in the published study's code)
  kBestFit,      // the fullest ToR that can hold the copy; if there is none, several ToRs, the emptiest first
};

const char* to_string(Placement placement);

struct ClusterShape {
  int per_tor = 32;
  int tors = 64;
  int host = 8;  // accelerators per host; divides per_tor
};

struct JobShape {
  int copy = 48;     // accelerators per full copy
  int replicas = 2;  // number of copies
};

// [job][replica][accelerator of the copy]; empty for jobs that no longer fit. A host belongs to one job.
std::vector<std::vector<std::vector<topology::NodeId>>> place_jobs(const ClusterShape& cluster,
                                                                   const std::vector<JobShape>& jobs,
                                                                   Placement placement, std::uint64_t seed);

}  // namespace coppice::routing
