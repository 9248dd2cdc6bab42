#pragma once

#include <string>
#include <string_view>

#include "config/document/document.h"

namespace coppice::config {

// Reads a file name. It is relative to the working directory or, if no such file exists there, to the folder
// of the file that contains the value. If the name contains {rank}, it stands for one file per rank, and the
// file of rank 0 determines the folder. `expected` describes the required form in messages. Every value that
// names a file must be read with this function.
std::string read_file_name(const Node& value, std::string_view path, std::string_view expected);

// Like read_file_name(), for a value that may be a file name or a word. A value without '/' and '.' is a word
// and is returned unchanged.
std::string read_name_or_file(const Node& value, std::string_view path, std::string_view expected);

}  // namespace coppice::config
