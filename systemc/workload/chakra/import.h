#pragma once

#include <string>
#include <vector>

#include "workload/program.h"

namespace coppice::workload::chakra {

struct ImportOptions {
  std::string groups;  // a file with the ranks of groups, {"1": [0, 1]}; empty: metadata nodes name them
  bool follow_control = false;  // nodes wait for their control dependencies as well
};

struct Imported {
  Program program;
  std::vector<std::string> assumptions;  // what the trace leaves open, a sentence each
};

// Reads the traces of all ranks as a program: `pattern` is the name of their files with {rank} where the
// rank's number stands, from 0 on without a gap. A node's data dependencies end before it starts; of its
// control dependencies only what follow_control says. Nodes of hosts take no time. Collectives are matched
// by group and order, lowest id first of those whose dependencies are met; transfers by source, destination
// and tag. Sizes are of a rank's input, as in the trace. Throws ConfigError naming file, rank and node.
Imported import_chakra(const std::string& pattern, const ImportOptions& options = {});

}  // namespace coppice::workload::chakra
