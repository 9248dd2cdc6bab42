#pragma once

#include <vector>

#include "accelerator/footprint.h"
#include "config/loader.h"
#include "system/machine/configured_accelerator.h"
#include "workload/model.h"

namespace coppice::system {

// Loads the model named by `training.model`, with outputs counted according to
// `system.accelerator.convention`. Warns on standard error about ignored parts of its table. Throws
// ConfigError.
workload::Model trained_model(const config::Loaded& loaded);

// Returns the memory footprint of an iteration of `model`; `partial_sums` as in footprint_of(). Throws
// ConfigError at `system.accelerator.memory` if it does not fit.
accelerator::Footprint require_memory(const config::Loaded& loaded, const workload::Model& model,
                                      Bytes partial_sums);

}  // namespace coppice::system
