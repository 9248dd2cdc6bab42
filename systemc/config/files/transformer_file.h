#pragma once

#include <string>

#include "workload/transformer.h"

namespace coppice::config {

// Reads a description of a transformer (YAML): layers, width, heads, feed_forward, vocabulary and sequence;
// where they differ from a plain decoder, key_value_heads (as many as heads), head_width (width / heads),
// gated, experts, experts_per_token, tied, biases, positions (none or learned), embedding_normalization and
// dropout. Throws ConfigError at what is unknown, missing or impossible.
workload::Transformer read_transformer(const std::string& path);

}  // namespace coppice::config
