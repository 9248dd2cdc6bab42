#pragma once

#include <string>
#include <vector>

#include "topology/networks/hierarchy.h"

namespace coppice::config {

// The directions in which rings send. A network file does not specify them; ASTRA-sim's rings send in one
// direction unless its system file specifies otherwise.
enum class RingDirections { kOne, kBoth };

// The dimensions that a network file describes, and one sentence for each assumption about details that the
// file does not specify.
struct AstraNetwork {
  std::vector<topology::DimensionSpec> dimensions;
  std::vector<std::string> assumptions;
};

// Reads a network file of ASTRA-sim's analytical backend. It contains lists of equal length: `topology`
// (Ring, FullyConnected, Switch), `npus_count`, `bandwidth` (per link per direction, in GB/s of 2^30 B/s) and
// `latency` (ns per link; a step through a switch crosses two links). In a ring, each accelerator has a link
// to the next neighbour or, depending on `ways`, to both neighbours; a ring of 2 always has one link in each
// direction. In a fully connected group, it has a link to every other member; in a switched group, it has a
// link to the switch. Throws ConfigError if a key is unknown or missing, a value is invalid, or lists differ
// in length.
AstraNetwork read_astra_network(const std::string& path, RingDirections ways = RingDirections::kOne);

}  // namespace coppice::config
