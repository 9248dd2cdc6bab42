#pragma once

#include <optional>

#include "accelerator/accelerator.h"
#include "config/loader.h"

namespace coppice::system {

// The systolic arrays that `system.accelerator` describes; `timing` overrides the configured timing. Throws
// ConfigError at a key that cannot be satisfied.
accelerator::Accelerator make_accelerator(const config::Loaded& loaded,
                                          std::optional<accelerator::Timing> timing = std::nullopt);

}  // namespace coppice::system
