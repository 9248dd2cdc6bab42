#pragma once

#include <cstddef>
#include <cstdint>

namespace coppice {

// Converts the number of a node, a channel, a step and so on to an index of a vector.
constexpr std::size_t index(std::int64_t number) {
  return static_cast<std::size_t>(number);
}

}  // namespace coppice
