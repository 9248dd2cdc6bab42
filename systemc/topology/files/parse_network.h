#pragma once

#include <string>
#include <string_view>

#include "topology/files/graph_file.h"

namespace coppice::topology {

// Reads a network in any form but YAML, told by how it begins: Coppice's own, BookSim2's anynet, and those of
// foreign_networks.h. Throws ConfigError with file:line:col, what is wrong and what would be right: a form
// that is not known, bad words, numbers or units, nodes that do not exist, accelerators without a channel,
// accelerators that cannot reach each other, values that GraphFileDefaults::objection refuses.
GraphFile parse_network(std::string_view text, const std::string& file, const GraphFileDefaults& defaults);

}  // namespace coppice::topology
