#pragma once

#include <optional>

#include "accelerator/accelerator.h"
#include "config/loader.h"

namespace coppice::system {

// The systolic arrays of `system.accelerator`; `timing` overrides its timing. Throws ConfigError at the key
// that they cannot satisfy.
accelerator::Accelerator make_accelerator(const config::Loaded& loaded,
                                          std::optional<accelerator::Timing> timing = std::nullopt);

}  // namespace coppice::system
