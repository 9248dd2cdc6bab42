#pragma once

#include "config/settings/loaded.h"

namespace coppice::config {

// Sets the defaults of large-model training: one sample per micro-batch, Adam, and gradients reduced in
// buckets.
void resolve_parallel_training(Loaded& loaded);

// Throws ConfigError for impossible combinations of training keys.
void check_parallel_training(const Loaded& loaded);

}  // namespace coppice::config
