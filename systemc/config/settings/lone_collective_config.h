#pragma once

#include <string>
#include <vector>

#include "config/settings/loaded.h"

namespace coppice::config {

// The collective runs as a program: it belongs to a group, or is an all-to-all.
bool runs_lone_collective(const Config& config);

// The algorithms of all-to-alls, which are not schedule compilers like those of other collectives, and the
// algorithm that chooses one.
std::vector<std::string> all_to_all_algorithms();

// Throws ConfigError for a collective of a group, and for an all-to-all: only the machine runs these.
void require_whole_collective(const Loaded& loaded);

}  // namespace coppice::config
