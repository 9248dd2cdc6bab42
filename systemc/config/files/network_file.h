#pragma once

#include <string>

#include "topology/files/graph_file.h"

namespace coppice::config {

// Whether a file is a network in YAML or JSON, by its text: it begins with a key of InfraGraph or of a
// network file of ASTRA-sim.
bool is_yaml_network(std::string_view text);

// Reads the file of a network in any form: those of topology::parse_network(), InfraGraph (YAML or JSON) and
// ASTRA-sim's network files, whose rings go one way. Throws UnsupportedError if the file cannot be read, and
// ConfigError as parse_network().
topology::GraphFile read_network_file(const std::string& path, const topology::GraphFileDefaults& defaults);

}  // namespace coppice::config
