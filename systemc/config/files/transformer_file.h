#pragma once

#include <string>

#include "workload/transformer.h"

namespace coppice::config {

// Reads a description of a transformer in YAML. Required keys are layers, width, heads, feed_forward,
// vocabulary and sequence. Optional keys are key_value_heads (default: heads), head_width (default: width /
// heads), gated, experts, experts_per_token, tied, biases, positions (none or learned),
// embedding_normalization and dropout. Throws ConfigError if a key is unknown or missing, or if a value is
// impossible.
workload::Transformer read_transformer(const std::string& path);

}  // namespace coppice::config
