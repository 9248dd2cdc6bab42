#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "base/units.h"
#include "workload/program.h"

namespace coppice::workload {

// The measured time of each kernel whose name matches `pattern`, in which `*` stands for any text. For
// example, "decode layer * attention" matches the attention of every layer.
struct KernelTime {
  std::string pattern;
  Femtoseconds time = 0;
  SourceLocation place;
};

// Reads a CSV table with the columns kernel and time_us, which the first row must name. Throws ConfigError if
// the columns have other names, or if a time is not positive or exceeds 1,000 s.
std::vector<KernelTime> read_kernel_times(const std::string& path);

// Sets the time of each computation of a program to the time in the first row whose pattern matches the
// computation's name. Computations without a match keep their times. Throws ConfigError, located at the row,
// if a row matches no computation.
void set_kernel_times(Program& program, const std::vector<KernelTime>& times);

}  // namespace coppice::workload
