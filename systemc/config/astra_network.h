#pragma once

#include <string>
#include <vector>

#include "topology/hierarchy.h"

namespace coppice::config {

// The dimensions that a network file of ASTRA-sim's analytical backend describes: lists of one length,
// `topology` (Ring, FullyConnected, Switch), `npus_count`, `bandwidth` (GB/s of a link, each way) and
// `latency` (ns of a link; a step through a switch takes two). Its accelerators have a link to either
// neighbour of a ring, one to each of a fully connected group, one to a switch. Throws ConfigError in the
// file: an unknown or missing key, a bad value, lists of different length.
std::vector<topology::DimensionSpec> read_astra_network(const std::string& path);

}  // namespace coppice::config
