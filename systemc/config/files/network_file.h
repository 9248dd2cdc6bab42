#pragma once

#include <string>

#include "topology/files/graph_file.h"

namespace coppice::config {

// Whether a text describes a network in YAML or JSON, i.e. begins with a key of InfraGraph or of ASTRA-sim's
// network files.
bool is_yaml_network(std::string_view text);

// Reads a network file in any supported format: those of topology::parse_network(), InfraGraph (YAML or
// JSON), and ASTRA-sim's format (with one-way rings). Throws UnsupportedError if the file cannot be read, and
// ConfigError as parse_network() does.
topology::GraphFile read_network_file(const std::string& path, const topology::GraphFileDefaults& defaults);

}  // namespace coppice::config
