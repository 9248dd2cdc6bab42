#pragma once

#include <vector>

#include "config/schema.h"

namespace coppice::config {

// The keys of programs: system.ni.contexts and its like, program, collectives.OP.
void add_program_keys(std::vector<Key>& keys);

}  // namespace coppice::config
