#pragma once

#include <string>

#include "workload/program.h"

namespace coppice::workload::chakra {

// The trace of every rank of a program, PREFIX.RANK.et by rank: what import_chakra() reads back as the same
// operations, dependencies, groups, collectives and transfers. Durations are in whole microseconds for
// others, and exactly in an attribute of our own.
std::string trace_of(const Program& program, int rank);

// The name of a rank's file.
std::string trace_file(const std::string& prefix, int rank);

}  // namespace coppice::workload::chakra
