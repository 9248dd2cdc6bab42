#pragma once

#include <cstddef>
#include <cstdint>

namespace coppice {

// Converts the number of a node, channel or step to a vector index.
constexpr std::size_t index(std::int64_t number) {
  return static_cast<std::size_t>(number);
}

}  // namespace coppice
