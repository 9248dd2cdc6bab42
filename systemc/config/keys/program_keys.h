#pragma once

#include <string>
#include <vector>

#include "config/keys/key.h"

namespace coppice::config {

// The keys of programs: system.ni.contexts and its like, program, collectives.OP.
void add_program_keys(std::vector<Key>& keys);

// Why the chunks of a collective change nothing; empty if they do.
std::string idle_chunks(const std::string& op);

}  // namespace coppice::config
