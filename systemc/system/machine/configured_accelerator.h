#pragma once

#include <optional>

#include "accelerator/accelerator.h"
#include "config/loader.h"

namespace coppice::system {

// Builds the accelerator that `system.accelerator` describes. `timing` overrides the configured method of
// timing. Throws ConfigError at the key whose value is impossible.
accelerator::Accelerator make_accelerator(const config::Loaded& loaded,
                                          std::optional<accelerator::Timing> timing = std::nullopt);

}  // namespace coppice::system
