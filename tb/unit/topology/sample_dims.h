#pragma once

#include <rapidcheck.h>

#include <vector>

namespace coppice::topology {

// A random list of 1 to max_dimensions widths from 1 to max_width, regardless of RapidCheck's size parameter.
inline std::vector<int> random_dims(int max_dimensions, int max_width) {
  const auto count = *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(1, max_dimensions + 1));
  return *rc::gen::container<std::vector<int>>(
      static_cast<std::size_t>(count), rc::gen::resize(rc::kNominalSize, rc::gen::inRange(1, max_width + 1)));
}

}  // namespace coppice::topology
