#pragma once

#include <cstdint>

#include "workload/parallel_layout.h"
#include "workload/program.h"
#include "workload/transformer.h"

namespace coppice::workload {

// Transformer inference on many ranks: a prefill, then one decode step. Weights, activations and the KV cache
// are bf16.
struct Inference {
  Transformer model;
  int tensor = 1;            // ranks that share a layer
  int expert = 1;            // ranks that share the experts, each with its own requests
  int pipeline = 1;          // stages of layers
  std::int64_t batch = 1;    // requests of all ranks
  std::int64_t prompt = 1;   // tokens per request that the prefill reads
  std::int64_t context = 1;  // tokens per request in the KV cache when the decode step begins

  int ranks() const { return tensor * expert * pipeline; }
};

// Throws LayoutError if the model cannot be divided among the ranks.
void check_inference(const Inference& inference);

// An accelerator's memory: weights, and the KV cache of its requests including the next token.
struct InferenceMemory {
  Bytes weights = 0;
  Bytes cache = 0;
  Bytes total() const { return weights + cache; }
};
InferenceMemory inference_memory(const Inference& inference);

// The program of both steps: iteration 0 is the prefill, iteration 1 the decode step, which begins when the
// last stage has sent its tokens to the first. The attention and the MLP of every layer end with an
// all-reduce of the hidden state among the ranks that share the layer (Megatron-LM); experts receive and
// return their tokens in all-to-alls. Throws as check_inference() does.
Program build_inference(const Inference& inference);

}  // namespace coppice::workload
