#pragma once

#include <span>

#include "routing/instance.h"

namespace coppice::routing {

// A method that assigns a spine to every flow. Each method is a final class in a file of its own.
class PathAssigner {
 public:
  virtual ~PathAssigner() = default;
  // Throws UnroutableError if a flow has no live path.
  virtual Assignment assign(const ClosLinks& links, std::span<const Flow> flows) = 0;
};

}  // namespace coppice::routing
