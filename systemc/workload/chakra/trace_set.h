#pragma once

#include <string>
#include <vector>

#include "workload/chakra/trace.h"

namespace coppice::workload::chakra {

// The traces of all ranks: `pattern` has {rank} in place of a rank's number, which counts from 0 to the last
// existing file. Throws ConfigError if the pattern lacks {rank} or rank 0 is missing.
std::vector<Trace> read_traces(const std::string& pattern);

// Groups of ranks by name, from a JSON file like {"1": [0, 1]}. Throws ConfigError for anything else.
NamedGroups read_groups(const std::string& path);

}  // namespace coppice::workload::chakra
