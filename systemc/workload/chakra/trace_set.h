#pragma once

#include <string>
#include <vector>

#include "workload/chakra/trace.h"

namespace coppice::workload::chakra {

// The traces of all ranks: `pattern` has {rank} where the number of a rank stands, from 0 on up to the first
// that is not there. Throws ConfigError where the pattern has no {rank} or there is no rank 0.
std::vector<Trace> read_traces(const std::string& pattern);

// Groups of ranks by name, of a JSON file like {"1": [0, 1]}. Throws ConfigError for any other.
NamedGroups read_groups(const std::string& path);

}  // namespace coppice::workload::chakra
