#pragma once

#include <string>
#include <string_view>

#include "config/document/document.h"

namespace coppice::config {

// Reads a file name, which is relative to the working directory or, if there is no such file, to the folder
// of the file that contains the value. A name that contains {rank} stands for one file per rank, of which
// rank 0's determines the folder. `expected` describes the required form in messages. Use this function for
// every value that names a file.
std::string read_file_name(const Node& value, std::string_view path, std::string_view expected);

// Like read_file_name(), for a value that need not be a file name: returns a word without '/' and '.'
// unchanged.
std::string read_name_or_file(const Node& value, std::string_view path, std::string_view expected);

}  // namespace coppice::config
