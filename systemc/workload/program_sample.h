#pragma once

#include "workload/program.h"

// Derives smaller programs with the message pattern of a large program, for measurements.
namespace coppice::workload {

// The operations of the first iteration, with their collectives and transfers; the whole program if one of
// these operations waits for an operation of another iteration.
Program first_iteration(const Program& program);

// The program with all bytes and computations multiplied by `scale`, which is in (0, 1]. Collectives keep at
// least 64 B per rank of their group.
Program scaled(const Program& program, double scale);

}  // namespace coppice::workload
