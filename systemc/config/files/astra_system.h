#pragma once

#include <string>
#include <vector>

#include "schedule/tables/dimension_method.h"

namespace coppice::config {

// The collective settings of an ASTRA-sim system file.
struct AstraSystem {
  std::vector<schedule::DimensionMethod> algorithms;  // [dimension]
  std::vector<std::string> assumptions;               // one sentence each
};

// Reads `all-reduce-implementation` of a system file (JSON): ring, direct or halvingDoubling, optionally with
// the prefix "one". Throws ConfigError if the file is unreadable or not JSON, lacks the key, or names another
// algorithm.
AstraSystem read_astra_system(const std::string& path);

}  // namespace coppice::config
