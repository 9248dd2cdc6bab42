#pragma once

#include <string>
#include <vector>

#include "schedule/tables/dimension_method.h"

namespace coppice::config {

// The settings for collectives in an ASTRA-sim system file.
struct AstraSystem {
  std::vector<schedule::DimensionMethod> algorithms;  // [dimension]: the algorithm in that dimension
  std::vector<std::string> assumptions;               // one sentence each
};

// Reads the value of `all-reduce-implementation` in a system file (JSON). Each algorithm is ring, direct or
// halvingDoubling, optionally with the prefix "one". Throws ConfigError if the file cannot be read or is not
// JSON, the key is missing, or an algorithm has another name.
AstraSystem read_astra_system(const std::string& path);

}  // namespace coppice::config
