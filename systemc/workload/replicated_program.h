#pragma once

#include <vector>

#include "workload/program.h"

namespace coppice::workload {

// A program whose copies execute the same operations in the same order, so that copy 0 can represent all of
// them.
struct ReplicatedProgram {
  Program program;                       // ranks outside copy 0 have no operations
  std::vector<std::vector<int>> copies;  // [copy][i]: the rank that corresponds to rank copies[0][i]
};

}  // namespace coppice::workload
