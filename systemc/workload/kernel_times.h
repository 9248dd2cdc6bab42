#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "base/units.h"
#include "workload/program.h"

namespace coppice::workload {

// The measured time of the kernels whose names match `pattern`. `*` matches any text: "decode layer *
// attention" matches the attention of every layer.
struct KernelTime {
  std::string pattern;
  Femtoseconds time = 0;
  SourceLocation place;
};

// Reads a table with the columns kernel and time_us (CSV; the first row contains these names). Throws
// ConfigError if the columns differ, or if a time is not above 0 and at most 1,000 s.
std::vector<KernelTime> read_kernel_times(const std::string& path);

// Sets the time of each computation of a program to the time in the first row that matches its name;
// computations without a match keep their times. Throws ConfigError at a row that matches no computation.
void set_kernel_times(Program& program, const std::vector<KernelTime>& times);

}  // namespace coppice::workload
