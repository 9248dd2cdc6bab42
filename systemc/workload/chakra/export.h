#pragma once

#include <string>

#include "workload/program.h"

namespace coppice::workload::chakra {

// The Chakra trace of one rank of a program, to be written to PREFIX.RANK.et. import_chakra() restores the
// same operations, dependencies, groups, collectives and transfers. Durations are written in whole
// microseconds, which other tools read, and exactly in an attribute that only Coppice reads.
std::string trace_of(const Program& program, int rank);

// The file name of the trace of one rank.
std::string trace_file(const std::string& prefix, int rank);

}  // namespace coppice::workload::chakra
