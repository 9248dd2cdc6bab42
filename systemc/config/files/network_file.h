#pragma once

#include <string>

#include "topology/files/graph_file.h"

namespace coppice::config {

// Whether a text describes a network in YAML or JSON: it begins with a key of InfraGraph or of ASTRA-sim's
// network files.
bool is_yaml_network(std::string_view text);

// Reads a network file in any supported format: those that topology::parse_network() reads, InfraGraph (YAML
// or JSON), and ASTRA-sim's format (with one-way rings). Throws UnsupportedError if the file cannot be read,
// and ConfigError in the same cases as parse_network().
topology::GraphFile read_network_file(const std::string& path, const topology::GraphFileDefaults& defaults);

}  // namespace coppice::config
