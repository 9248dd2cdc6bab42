#pragma once

#include <string>
#include <vector>

#include "workload/program.h"

namespace coppice::workload::chakra {

struct ImportOptions {
  std::string groups;  // name of a JSON file that lists the ranks of groups, {"1": [0, 1]}; empty: metadata
                       // nodes list them
  // Whether nodes wait for control dependencies in addition to data dependencies.
  bool follow_control = false;
};

struct Imported {
  Program program;
  std::vector<std::string> assumptions;  // about details that the trace does not specify, one sentence each
};

// Reads the traces of all ranks as a program. `pattern` is the name of the files, with {rank} for the number
// of the rank; ranks are numbered from 0 without gaps. A node starts after its data dependencies have ended,
// and with follow_control also after its control dependencies. Host nodes take no time. Collectives are
// matched by their group and order; if several collectives are ready, the one with the lowest id comes first.
// Transfers are matched by source, destination and tag. Sizes in traces are those of one rank's input. Throws
// a ConfigError that names the file, rank and node.
Imported import_chakra(const std::string& pattern, const ImportOptions& options = {});

}  // namespace coppice::workload::chakra
