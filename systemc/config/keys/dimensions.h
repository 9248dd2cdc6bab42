#pragma once

#include "config/keys/key.h"

namespace coppice::config {

// system.topology.dimensions: a list with one section per dimension of a hierarchy, each with kind, size,
// bandwidth (of a link), latency (of a step), links (of an accelerator; required for a ring, where 1 means a
// single direction) and in_network (whether its switches reduce); or the name of a file for astra_network.h,
// relative to the working directory, or {file: NAME, rings: one_way or both_ways}.
Key dimensions_key();

// The dimensions from which a hierarchy is built: links to switches are bundled if system.topology.bundled is
// set, and bandwidths are multiplied by system.link.efficiency.
std::vector<topology::DimensionSpec> dimensions_to_build(const SystemConfig& system);

// Checks the rules within the dimensions of a hierarchy, and between them and other keys. Throws ConfigError
// at the key to change.
void check_dimensions(const Loaded& loaded);

}  // namespace coppice::config
