#pragma once

#include <string>
#include <vector>

#include "config/keys/key.h"

namespace coppice::config {

// The keys of programs: system.ni.contexts and its like, program, collectives.OP.
void add_program_keys(std::vector<Key>& keys);

}  // namespace coppice::config
