#pragma once

#include <string>
#include <vector>

#include "base/error.h"

namespace coppice::workload {

// The text of a cell without surrounding blanks, and its location.
struct Cell {
  std::string text;
  SourceLocation place;
};

// The rows of a file with comma-separated cells (or tab-separated cells, in rows without commas). Drops blank
// rows, blank cells at the ends of rows, and cells that begin with # with the rest of their row. Does not
// support quoting. Throws ConfigError if the file is unreadable or not text.
std::vector<std::vector<Cell>> read_csv(const std::string& path);

}  // namespace coppice::workload
