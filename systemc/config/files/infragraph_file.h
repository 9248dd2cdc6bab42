#pragma once

#include "config/document/document.h"
#include "topology/files/graph_file.h"

namespace coppice::config {

// The network of an InfraGraph document (Keysight, MLCommons Chakra): components with choice xpu are
// accelerators, and all others are switches. Ports, NICs and similar components with two neighbours are
// merged into their links, and dead-end components are left out; GraphFile::assumptions mentions both. Throws
// ConfigError at devices, components or links that do not exist, slices out of range, and lists of unequal
// length.
topology::GraphFile read_infragraph(const Node& root, const topology::GraphFileDefaults& defaults);

}  // namespace coppice::config
