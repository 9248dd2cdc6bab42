#pragma once

#include <cstdint>

namespace coppice::system {

// The number of elements that a verification checked, if it did not check all.
struct CheckedElements {
  std::int64_t elements = 0;  // 0: all
  std::int64_t of = 0;
};

}  // namespace coppice::system
