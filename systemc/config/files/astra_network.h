#pragma once

#include <string>
#include <vector>

#include "topology/networks/hierarchy.h"

namespace coppice::config {

// The directions of the rings in a network file. The file does not specify them; ASTRA-sim sends in one
// direction unless its system file says otherwise.
enum class RingDirections { kOne, kBoth };

// The dimensions in a network file, and one sentence for each assumption about what the file does not
// specify.
struct AstraNetwork {
  std::vector<topology::DimensionSpec> dimensions;
  std::vector<std::string> assumptions;
};

// Reads a network file of ASTRA-sim's analytical backend: lists of equal length, `topology` (Ring,
// FullyConnected, Switch), `npus_count`, `bandwidth` (per link and direction, in GB/s of 2^30 B/s) and
// `latency` (ns per link; a step through a switch takes two links). Its accelerators have one link to the
// next neighbour in a ring, or one to each neighbour (`ways`; a ring of 2 always has one link in each
// direction), one to each member of a fully connected group, or one to a switch. Throws ConfigError at an
// unknown or missing key, a bad value, or lists of different lengths.
AstraNetwork read_astra_network(const std::string& path, RingDirections ways = RingDirections::kOne);

}  // namespace coppice::config
