#pragma once

#include "workload/program.h"

// Smaller programs with the message pattern of a large one, for measurements.
namespace coppice::workload {

// The operations of the first iteration, with their collectives and transfers; the program itself if one of
// them waits for an operation of another iteration.
Program first_iteration(const Program& program);

// The program with all bytes and computations multiplied by `scale`, in (0, 1]. Collectives keep 64 B per
// rank of their group.
Program scaled(const Program& program, double scale);

}  // namespace coppice::workload
