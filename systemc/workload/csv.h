#pragma once

#include <string>
#include <vector>

#include "base/error.h"

namespace coppice::workload {

// The text of a cell, without blanks at either end, and its location.
struct Cell {
  std::string text;
  SourceLocation place;
};

// Returns the rows of a file whose cells are separated by commas, or by tabs in rows without commas. Omits
// blank rows, blank cells at the ends of rows, and comments, which extend from a cell that begins with # to
// the end of its row. Quoting is not supported. Throws ConfigError if the file is unreadable or not text.
std::vector<std::vector<Cell>> read_csv(const std::string& path);

}  // namespace coppice::workload
