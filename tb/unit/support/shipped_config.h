#pragma once

#include <string>

namespace coppice::testing {

// The path of a file of configs/. Only one source file knows the location of the checkout, so that in another
// checkout, only that file needs to be recompiled.
std::string shipped_config(const std::string& path);

}  // namespace coppice::testing
