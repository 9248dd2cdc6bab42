#pragma once

#include <string>

#include "topology/topology.h"

namespace coppice::app {

// The network in one of topology::network_forms(). Throws ConfigError at `option` for an unknown form, and
// for a network that the form cannot represent.
std::string print_network(const topology::Topology& topology, const std::string& form, const char* option);

}  // namespace coppice::app
