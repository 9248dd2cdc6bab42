#pragma once

#include <vector>

#include "config/keys/key.h"

namespace coppice::config {

// The keys that say how a large model is trained: training.parallel, micro_batches, schedule and its like.
void add_parallel_keys(std::vector<Key>& keys);

// The keys of workload.inference.
void add_inference_keys(std::vector<Key>& keys);

// Sets the defaults of large-model training: one sample per micro-batch, Adam, and gradients reduced in
// buckets.
void resolve_parallel_training(Loaded& loaded);

// Throws ConfigError for impossible combinations.
void check_parallel_training(const Loaded& loaded);

}  // namespace coppice::config
