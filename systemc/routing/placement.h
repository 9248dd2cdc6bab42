#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "topology/topology.h"

namespace coppice::routing {

// How jobs are placed on accelerators, on ToRs with whole hosts. Every copy of a model takes its accelerators
// together.
enum class Placement {
  kRandomHosts,  // free hosts anywhere (the paper's text)
  kRandomTors,   // ToRs one after another, all their free accelerators (the published study's code)
  kBestFit,      // the ToR with the fewest free accelerators that hold the copy, else the emptiest first
};

const char* to_string(Placement placement);

struct ClusterShape {
  int per_tor = 32;
  int tors = 64;
  int host = 8;  // accelerators of a host; divides per_tor
};

struct JobShape {
  int copy = 48;     // accelerators of a full copy
  int replicas = 2;  // copies
};

// [job][replica][accelerator of the copy]; empty for jobs that do not fit any more. A host is of one job.
std::vector<std::vector<std::vector<topology::NodeId>>> place_jobs(const ClusterShape& cluster,
                                                                   const std::vector<JobShape>& jobs,
                                                                   Placement placement, std::uint64_t seed);

}  // namespace coppice::routing
