#pragma once

#include <cstdint>

#include "workload/parallel_layout.h"
#include "workload/program.h"
#include "workload/transformer.h"

namespace coppice::workload {

// The inference of a transformer on many ranks: a prefill, then one decode step. Weights, activations and the
// KV cache are bf16.
struct Inference {
  Transformer model;
  int tensor = 1;            // number of ranks that share a layer
  int expert = 1;            // number of ranks that share the experts; each rank has its own requests
  int pipeline = 1;          // number of pipeline stages
  std::int64_t batch = 1;    // total number of requests on all ranks
  std::int64_t prompt = 1;   // number of tokens per request that the prefill reads
  std::int64_t context = 1;  // number of tokens per request in the KV cache when the decode step begins

  int ranks() const { return tensor * expert * pipeline; }
};

// Throws LayoutError if the model cannot be divided among the ranks.
void check_inference(const Inference& inference);

// The memory that an accelerator needs for weights, and for the KV cache of its requests including the next
// token.
struct InferenceMemory {
  Bytes weights = 0;
  Bytes cache = 0;
  Bytes total() const { return weights + cache; }
};
InferenceMemory inference_memory(const Inference& inference);

// Builds the program of the inference. Iteration 0 is the prefill, and iteration 1 the decode step, which
// begins when the last stage has sent its tokens to the first. The attention and the MLP of every layer end
// with an all-reduce of the hidden state among the ranks that share the layer (Megatron-LM). Tokens are sent
// to experts and back by all-to-alls. Throws like check_inference().
Program build_inference(const Inference& inference);

}  // namespace coppice::workload
