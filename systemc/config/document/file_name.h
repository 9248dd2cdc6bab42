#pragma once

#include <string>
#include <string_view>

#include "config/document/document.h"

namespace coppice::config {

// The name of a file that a value gives: relative to the working directory, or, if nothing of that name is
// there, to the folder of the file that the value stands in. A name with {rank} in it is that of a file per
// rank, of which rank 0's decides. `expected` is what the value must be, for messages. Every value that names
// a file is read by this function.
std::string read_file_name(const Node& value, std::string_view path, std::string_view expected);

// The same of a value that may also be the name of something else: a word without '/' and '.' is left as it
// is.
std::string read_name_or_file(const Node& value, std::string_view path, std::string_view expected);

}  // namespace coppice::config
