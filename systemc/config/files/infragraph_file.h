#pragma once

#include "config/document/document.h"
#include "topology/files/graph_file.h"

namespace coppice::config {

// Reads the network in an InfraGraph document (Keysight, MLCommons Chakra). Components whose choice is `xpu`
// are accelerators, and all others are switches. Ports, NICs and similar components with two neighbours are
// merged into their links, and components that are dead ends are left out; GraphFile::assumptions mentions
// both. Throws ConfigError if a device, component or link does not exist, a slice is out of range, or
// endpoint lists cannot be paired.
topology::GraphFile read_infragraph(const Node& root, const topology::GraphFileDefaults& defaults);

}  // namespace coppice::config
