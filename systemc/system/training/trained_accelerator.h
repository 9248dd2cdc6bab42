#pragma once

#include <vector>

#include "accelerator/footprint.h"
#include "config/loader.h"
#include "system/machine/configured_accelerator.h"
#include "workload/model.h"

namespace coppice::system {

// Loads the model that `training.model` names. `system.accelerator.convention` determines how the outputs of
// its layers are counted. Prints a warning to standard error if parts of the layer table are ignored. Throws
// ConfigError.
workload::Model trained_model(const config::Loaded& loaded);

// Returns the memory footprint of an iteration of `model`; see footprint_of() for `partial_sums`. Throws
// ConfigError at `system.accelerator.memory` if the memory is too small.
accelerator::Footprint require_memory(const config::Loaded& loaded, const workload::Model& model,
                                      Bytes partial_sums);

}  // namespace coppice::system
