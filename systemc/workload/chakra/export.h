#pragma once

#include <string>

#include "workload/program.h"

namespace coppice::workload::chakra {

// The trace of one rank of a program, to be written as PREFIX.RANK.et; import_chakra() reads it back as the
// same operations, dependencies, groups, collectives and transfers. Durations are whole microseconds for
// other tools, and exact in an attribute of our own.
std::string trace_of(const Program& program, int rank);

// The name of a rank's file.
std::string trace_file(const std::string& prefix, int rank);

}  // namespace coppice::workload::chakra
