#pragma once

#include <string>
#include <string_view>

#include "topology/files/graph_file.h"

namespace coppice::topology {

// Reads a network in any format except YAML, recognized by how it begins: Coppice's own, BookSim2's anynet,
// and those of foreign_networks.h. Throws ConfigError with file:line:col, the error and its remedy: an
// unknown format, bad words, numbers or units, nodes that do not exist, accelerators without a channel,
// accelerators that cannot reach each other, and values that GraphFileDefaults::objection rejects.
GraphFile parse_network(std::string_view text, const std::string& file, const GraphFileDefaults& defaults);

}  // namespace coppice::topology
