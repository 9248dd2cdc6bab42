#include "system/output/possible.h"

#include <fmt/format.h>

#include "base/error.h"

namespace coppice::system {

void require_part(const std::string& name, double part, double rounding) {
  if (part <= 1 + rounding) return;  // false for NaN, which is rejected below
  throw ModelError(fmt::format("{} is {}, but cannot exceed 1: this is a bug in the model", name, part));
}

}  // namespace coppice::system
