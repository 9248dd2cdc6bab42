#pragma once

#include <string>
#include <vector>

#include "base/error.h"

namespace coppice::workload {

// One cell, without the blanks around it, and its place.
struct Cell {
  std::string text;
  SourceLocation place;
};

// The rows of a file of cells that are separated by commas, or in rows without any by tabs, and not blank;
// blank cells at their ends are dropped, and so is what follows a cell that begins with #. There is no
// quoting. Throws ConfigError: unreadable, not text.
std::vector<std::vector<Cell>> read_csv(const std::string& path);

}  // namespace coppice::workload
