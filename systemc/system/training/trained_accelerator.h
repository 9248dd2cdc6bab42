#pragma once

#include <vector>

#include "accelerator/footprint.h"
#include "config/loader.h"
#include "system/machine/configured_accelerator.h"
#include "workload/model.h"

namespace coppice::system {

// What `training.model` names, as `system.accelerator.convention` counts its outputs; what its table says
// that is not read is warned of on standard error. Throws ConfigError.
workload::Model trained_model(const config::Loaded& loaded);

// What an iteration of `model` keeps in an accelerator's memory. Throws ConfigError at
// `system.accelerator.memory` if it is larger; `partial_sums` as footprint_of() has them.
accelerator::Footprint require_memory(const config::Loaded& loaded, const workload::Model& model,
                                      Bytes partial_sums);

}  // namespace coppice::system
