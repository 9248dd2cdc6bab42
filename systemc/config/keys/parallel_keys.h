#pragma once

#include "config/settings/loaded.h"

namespace coppice::config {

// Sets the defaults for the training of large models: one sample per micro-batch, the Adam optimizer, and
// gradients that are reduced in buckets.
void resolve_parallel_training(Loaded& loaded);

// Throws ConfigError if training keys have values that are impossible together.
void check_parallel_training(const Loaded& loaded);

}  // namespace coppice::config
