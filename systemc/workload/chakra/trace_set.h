#pragma once

#include <string>
#include <vector>

#include "workload/chakra/trace.h"

namespace coppice::workload::chakra {

// Reads the traces of all ranks. `pattern` is a file name with {rank} for the number of the rank; the ranks
// are 0 up to the last for which a file exists. Throws ConfigError if {rank} is missing from the pattern, or
// if there is no file for rank 0.
std::vector<Trace> read_traces(const std::string& pattern);

// Reads the ranks of groups from a JSON file like {"1": [0, 1]}. Throws ConfigError if the file has another
// form.
NamedGroups read_groups(const std::string& path);

}  // namespace coppice::workload::chakra
