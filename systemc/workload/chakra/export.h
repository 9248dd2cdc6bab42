#pragma once

#include <string>

#include "workload/program.h"

namespace coppice::workload::chakra {

// The trace of one rank of a program, to be written to PREFIX.RANK.et; import_chakra() restores the same
// operations, dependencies, groups, collectives and transfers. Durations are in whole microseconds for other
// tools, and exact in a Coppice-specific attribute.
std::string trace_of(const Program& program, int rank);

// The file name of a rank's trace.
std::string trace_file(const std::string& prefix, int rank);

}  // namespace coppice::workload::chakra
