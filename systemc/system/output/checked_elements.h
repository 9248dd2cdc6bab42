#pragma once

#include <cstdint>

namespace coppice::system {

// How many elements a verification checked, if it checked only a sample.
struct CheckedElements {
  std::int64_t elements = 0;  // 0: all elements were checked
  std::int64_t of = 0;
};

}  // namespace coppice::system
