#pragma once

#include "workload/transformer.h"

namespace coppice::workload {

// GPT-3 175B, from Table 2.1 of Brown et al. 2020.
inline Transformer gpt3() {
  Transformer model;
  model.name = "gpt3";
  model.layers = 96;
  model.width = 12288;
  model.heads = model.key_value_heads = 96;
  model.head_width = 128;
  model.feed_forward = 4 * 12288;
  model.vocabulary = 50257;
  model.sequence = 2048;
  model.tied = model.biases = model.learned_positions = model.dropout = true;
  return model;
}

// LLaMA-2 70B, from Touvron et al. 2023.
inline Transformer llama2_70b() {
  Transformer model;
  model.name = "llama2_70b";
  model.layers = 80;
  model.width = 8192;
  model.heads = 64;
  model.key_value_heads = 8;
  model.head_width = 128;
  model.feed_forward = 28672;
  model.gated = true;
  model.vocabulary = 32000;
  model.sequence = 4096;
  return model;
}

// Mixtral 8x7B, from Table 1 of Jiang et al. 2024.
inline Transformer mixtral() {
  Transformer model;
  model.name = "mixtral";
  model.layers = 32;
  model.width = 4096;
  model.heads = 32;
  model.key_value_heads = 8;
  model.head_width = 128;
  model.feed_forward = 14336;
  model.gated = true;
  model.experts = 8;
  model.experts_per_token = 2;
  model.vocabulary = 32000;
  model.sequence = 32768;
  return model;
}

}  // namespace coppice::workload
