#pragma once

#include "workload/program.h"

// Derives smaller programs with the same message pattern from a large program, for measurements.
namespace coppice::workload {

// Returns the operations of the first iteration, with their collectives and transfers; or the whole program,
// if one of these operations waits for an operation of another iteration.
Program first_iteration(const Program& program);

// The program with all sizes and computations multiplied by `scale`, which is in (0, 1]. Collectives keep at
// least 64 B for each rank of their group.
Program scaled(const Program& program, double scale);

}  // namespace coppice::workload
