#pragma once

#include <string>

namespace coppice::testing {

// A file of configs/ by its path there. The folder of the checkout is known to one source file alone, so that
// a checkout elsewhere compiles that one anew and no test.
std::string shipped_config(const std::string& path);

}  // namespace coppice::testing
