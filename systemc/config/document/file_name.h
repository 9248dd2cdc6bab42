#pragma once

#include <string>
#include <string_view>

#include "config/document/document.h"

namespace coppice::config {

// Reads the name of a file: relative to the working directory or, if there is no such file, to the folder of
// the file that contains the value. A name with {rank} stands for one file per rank; the file of rank 0
// decides. `expected` is the required form, for messages. Every value that names a file is read by this
// function.
std::string read_file_name(const Node& value, std::string_view path, std::string_view expected);

// Like read_file_name(), for a value that may also be another name: a word without '/' and '.' is returned
// unchanged.
std::string read_name_or_file(const Node& value, std::string_view path, std::string_view expected);

}  // namespace coppice::config
