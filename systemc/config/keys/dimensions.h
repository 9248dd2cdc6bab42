#pragma once

#include "config/keys/key.h"

namespace coppice::config {

// system.topology.dimensions: a list with a section for every dimension of a hierarchy, each with kind, size,
// bandwidth (of a link), latency (of a step) and, if there is more than one, links (of an accelerator; a ring
// of one link goes one way), and whether its switches add (in_network); or the name of a file that
// astra_network.h reads, relative to the working directory, or {file: NAME, rings: one_way or both_ways}.
Key dimensions_key();

// The dimensions of a hierarchy as they are built: links to switches bundled or not, as
// system.topology.bundled says, with the bandwidth that system.link.efficiency leaves them.
std::vector<topology::DimensionSpec> dimensions_to_build(const SystemConfig& system);

// Rules of the dimensions of a hierarchy, and between them and other keys. Throws ConfigError at the
// key to change.
void check_dimensions(const Loaded& loaded);

}  // namespace coppice::config
