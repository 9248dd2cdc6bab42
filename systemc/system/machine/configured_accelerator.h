#pragma once

#include "accelerator/accelerator.h"
#include "config/loader.h"

namespace coppice::system {

// The systolic arrays of `system.accelerator`. Throws ConfigError at the key that they cannot follow.
accelerator::Accelerator make_accelerator(const config::Loaded& loaded);

}  // namespace coppice::system
