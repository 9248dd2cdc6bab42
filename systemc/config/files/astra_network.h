#pragma once

#include <string>
#include <vector>

#include "topology/networks/hierarchy.h"

namespace coppice::config {

// The directions of the rings in a network file. The file does not specify them; ASTRA-sim sends in one
// direction unless its system file specifies otherwise.
enum class RingDirections { kOne, kBoth };

// The dimensions in a network file, and a sentence for each assumption about details that the file does not
// specify.
struct AstraNetwork {
  std::vector<topology::DimensionSpec> dimensions;
  std::vector<std::string> assumptions;
};

// Reads a network file of ASTRA-sim's analytical backend: lists of equal length, `topology` (Ring,
// FullyConnected, Switch), `npus_count`, `bandwidth` (per link and direction, in GB/s of 2^30 B/s) and
// `latency` (ns per link; a step through a switch traverses two links). Each accelerator has a link to the
// next neighbour in a ring or, depending on `ways`, to both neighbours (a ring of 2 always has one link in
// each direction), a link to each member of a fully connected group, or a link to a switch. Throws
// ConfigError at an unknown or missing key, an invalid value, or lists of different lengths.
AstraNetwork read_astra_network(const std::string& path, RingDirections ways = RingDirections::kOne);

}  // namespace coppice::config
