#pragma once

#include <string>

#include "workload/program.h"

namespace coppice::workload::chakra {

// One rank's trace of a program, for a file PREFIX.RANK.et; import_chakra() restores the same operations,
// dependencies, groups, collectives and transfers. Durations are whole microseconds for other tools, and
// exact in an attribute of Coppice's own.
std::string trace_of(const Program& program, int rank);

// The file name of a rank's trace.
std::string trace_file(const std::string& prefix, int rank);

}  // namespace coppice::workload::chakra
