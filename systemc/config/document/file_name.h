#pragma once

#include <string>
#include <string_view>

#include "config/document/document.h"

namespace coppice::config {

// Reads a file name: relative to the working directory or, if there is no such file, to the folder of the
// file that contains the value. A name with {rank} stands for one file per rank; rank 0's file determines the
// folder. `expected` describes the required form in messages. Every value that names a file must be read by
// this function.
std::string read_file_name(const Node& value, std::string_view path, std::string_view expected);

// Like read_file_name(), for a value that is not necessarily a file name: a word without '/' and '.' is
// returned unchanged.
std::string read_name_or_file(const Node& value, std::string_view path, std::string_view expected);

}  // namespace coppice::config
