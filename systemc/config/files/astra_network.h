#pragma once

#include <string>
#include <vector>

#include "topology/networks/hierarchy.h"

namespace coppice::config {

// The ways that the rings of a network file go: it does not say, and ASTRA-sim sends one way around unless
// its system file has it otherwise.
enum class RingWays { kOne, kBoth };

// The dimensions that a network file describes, and what it leaves open: a sentence each.
struct AstraNetwork {
  std::vector<topology::DimensionSpec> dimensions;
  std::vector<std::string> assumptions;
};

// Reads a network file of ASTRA-sim's analytical backend: lists of one length, `topology` (Ring,
// FullyConnected, Switch), `npus_count`, `bandwidth` (of a link, each way, in GB/s of 2^30 B/s) and `latency`
// (ns of a link; a step through a switch takes two). Its accelerators have a link to the next neighbour of a
// ring, or one to either (`ways`; a ring of 2 has one link each way in any case), one to each of a fully
// connected group, one to a switch. Throws ConfigError in the file: an unknown or missing key, a bad value,
// lists of different length.
AstraNetwork read_astra_network(const std::string& path, RingWays ways = RingWays::kOne);

}  // namespace coppice::config
