#pragma once

#include <string>

namespace coppice::testing {

// A file of configs/ by its path there. Only one source file knows the folder of the checkout, so that a
// checkout elsewhere recompiles that file alone.
std::string shipped_config(const std::string& path);

}  // namespace coppice::testing
