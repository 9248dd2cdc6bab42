#pragma once

#include <string>
#include <string_view>

#include "topology/files/graph_file.h"

namespace coppice::topology {

// Reads a network in any format except YAML: Coppice's own format, BookSim2's anynet, or one of the formats
// in foreign_networks.h. The format is recognised from the beginning of the text. Throws ConfigError, with
// file:line:col and a remedy, if the format is unknown, if a word, number or unit is invalid, if a node does
// not exist, if an accelerator has no channel or cannot reach another accelerator, or if
// GraphFileDefaults::objection rejects a value.
GraphFile parse_network(std::string_view text, const std::string& file, const GraphFileDefaults& defaults);

}  // namespace coppice::topology
