#pragma once

#include <string>
#include <string_view>

#include "config/document/document.h"

namespace coppice::config {

// The name of a file that a value gives: relative to the working directory, or, if nothing of that name is
// there, to the folder of the file that the value stands in. `expected` is what the value must be, for
// messages.
std::string read_file_name(const Node& value, std::string_view path, std::string_view expected);

}  // namespace coppice::config
