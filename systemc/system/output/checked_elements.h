#pragma once

#include <cstdint>

namespace coppice::system {

// How many elements a verification looked at, where it was not all.
struct CheckedElements {
  std::int64_t elements = 0;  // 0: all
  std::int64_t of = 0;
};

}  // namespace coppice::system
