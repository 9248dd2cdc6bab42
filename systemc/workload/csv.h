#pragma once

#include <string>
#include <vector>

#include "base/error.h"

namespace coppice::workload {

// One cell, without the blanks around it, and its location.
struct Cell {
  std::string text;
  SourceLocation place;
};

// The rows of a file with comma-separated cells (or tab-separated ones in rows without commas); blank rows,
// blank cells at the ends of rows, and everything after a cell that begins with # are dropped. There is no
// quoting. Throws ConfigError if the file is unreadable or not text.
std::vector<std::vector<Cell>> read_csv(const std::string& path);

}  // namespace coppice::workload
