#pragma once

#include <string>

#include "topology/topology.h"

namespace coppice::app {

// Prints the network in `form`, one of topology::network_forms(). Throws ConfigError at `option` if there is
// no such form, or if the form cannot represent the network.
std::string print_network(const topology::Topology& topology, const std::string& form, const char* option);

}  // namespace coppice::app
