#pragma once

#include <string>
#include <string_view>

#include "topology/files/graph_file.h"

namespace coppice::topology {

// Reads a network in any format except YAML: Coppice's own, BookSim2's anynet, or one of foreign_networks.h.
// The format is recognised from the beginning of the text. Throws a ConfigError with file:line:col and a
// remedy if the format is unknown, words, numbers or units are invalid, nodes do not exist, accelerators have
// no channel or cannot reach each other, or GraphFileDefaults::objection rejects a value.
GraphFile parse_network(std::string_view text, const std::string& file, const GraphFileDefaults& defaults);

}  // namespace coppice::topology
