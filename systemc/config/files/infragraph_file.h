#pragma once

#include "config/document/document.h"
#include "topology/files/graph_file.h"

namespace coppice::config {

// The network of an InfraGraph document (Keysight, MLCommons Chakra): its components of choice xpu are the
// accelerators, all others switches. Ports, NICs and the like with two neighbours become part of their link,
// and what leads nowhere is left out, as GraphFile::assumptions states. Throws ConfigError at the place of
// what is wrong: devices, components or links that do not exist, slices out of range, lists of unequal
// length.
topology::GraphFile read_infragraph(const Node& root, const topology::GraphFileDefaults& defaults);

}  // namespace coppice::config
