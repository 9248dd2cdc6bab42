#pragma once

#include "config/keys/key.h"

namespace coppice::config {

// system.topology.dimensions: a list with one section for each dimension of a hierarchy, with the keys kind,
// size, bandwidth (of a link), latency (of a step), links (of an accelerator; required for a ring, where 1
// means a single direction) and in_network (whether the dimension's switches reduce). Instead of a list, the
// value may be the name of a file that astra_network.h reads, or {file: NAME, rings: one_way or both_ways}.
Key dimensions_key();

// The dimensions from which a hierarchy is built. Bandwidths have been multiplied by system.link.efficiency,
// and links to switches are bundled if system.topology.bundled is set.
std::vector<topology::DimensionSpec> dimensions_to_build(const SystemConfig& system);

// Checks rules among the dimensions of a hierarchy, and between them and other keys. Throws ConfigError at
// the key that must be changed.
void check_dimensions(const Loaded& loaded);

}  // namespace coppice::config
