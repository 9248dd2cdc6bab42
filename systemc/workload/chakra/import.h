#pragma once

#include <string>
#include <vector>

#include "workload/program.h"

namespace coppice::workload::chakra {

struct ImportOptions {
  std::string groups;  // a file with the ranks of groups, {"1": [0, 1]}; empty: metadata nodes list them
  bool follow_control = false;  // whether nodes also wait for their control dependencies
};

struct Imported {
  Program program;
  std::vector<std::string> assumptions;  // about what the trace does not specify, one sentence each
};

// Reads the traces of all ranks as a program: `pattern` is the name of their files with {rank} in place of
// the rank's number; ranks are numbered from 0 without gaps. A node's data dependencies end before it starts;
// control dependencies count only with follow_control. Host nodes take no time. Collectives are matched by
// group and order; among collectives whose dependencies are met, the lowest id comes first; transfers are
// matched by source, destination and tag. Sizes are those of a rank's input, as in the trace. Throws
// ConfigError, naming the file, rank and node.
Imported import_chakra(const std::string& pattern, const ImportOptions& options = {});

}  // namespace coppice::workload::chakra
