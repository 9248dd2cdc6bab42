#pragma once

#include <string>

namespace coppice::testing {

// The path of file `name` in configs/. Only one source file contains the location of the checkout, so that a
// copy of the build in another checkout needs to recompile only this file.
std::string shipped_config(const std::string& path);

}  // namespace coppice::testing
