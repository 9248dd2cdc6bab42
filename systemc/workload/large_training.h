#pragma once

#include <cstdint>

#include "base/units.h"
#include "workload/parallel_layout.h"
#include "workload/pipeline_schedule.h"
#include "workload/program.h"
#include "workload/transformer.h"

namespace coppice::workload {

// The results that the backward pass recomputes instead of storing: none, attention scores (Korthikanti et
// al. 2022), or every layer from its input.
enum class Recomputation { kNone, kSelective, kFull };
const char* to_string(Recomputation recomputation);

// How the keys and values of a sample's parts meet its queries: blocks that go around a ring while others
// are computed on (Liu et al. 2023), or an all-gather before attention and a reduce-scatter behind its
// gradient.
enum class ContextExchange { kRing, kAllGather };
const char* to_string(ContextExchange exchange);

// The training of a transformer on many ranks. Weights, activations and gradients are bf16; the optimizer
// keeps fp32 values, the weights and `optimizer_states` more of each.
struct LargeTraining {
  Transformer model;
  ParallelSpec parallel;
  int micro_batches = 1;         // of a copy of the model in an iteration
  std::int64_t micro_batch = 1;  // samples
  std::int64_t sequence = 1;     // tokens of a sample
  PipelineSchedule schedule = PipelineSchedule::kOneForwardOneBackward;
  int chunks = 1;                  // chunks of layers on a rank; more than 1 if interleaved
  bool sequence_parallel = false;  // what tensor-parallel ranks compute twice they share by tokens instead
  int zero = 0;  // 1: ranks of a group share the optimizer, 2: gradients as well, 3: weights as well
  Recomputation recompute = Recomputation::kNone;
  ContextExchange context_exchange = ContextExchange::kRing;
  bool overlap = true;        // gradients are reduced while others are computed, not behind all
  Bytes bucket = 25'000'000;  // of gradients that are reduced together; 0: layer by layer
  int optimizer_states = 2;
  int iterations = 1;

  int stages() const { return parallel.pipeline * chunks; }
  int layers_of_stage(int stage) const;  // as even as they can be, none more than one above another
  Slice slice() const;
};

// An accelerator's peak memory.
struct TrainingMemory {
  Bytes weights = 0;
  Bytes gradients = 0;
  Bytes optimizer = 0;
  Bytes activations = 0;  // Korthikanti et al. 2022, Sec. 4, of as many micro-batches as are in flight
  Bytes total() const { return weights + gradients + optimizer + activations; }
};

// Throws LayoutError where the training cannot be laid out so: heads that tensor parallelism cannot share,
// more stages than layers, and so on.
void check_training(const LargeTraining& training);

TrainingMemory training_memory(const LargeTraining& training, int pipeline_rank);

// The program of all iterations: what every rank computes and exchanges, as Megatron-LM (Narayanan et al.
// 2021), ZeRO (Rajbhandari et al. 2020) and expert parallelism (Lepikhin et al. 2020) do it. Throws as
// check_training().
Program build_large_training(const LargeTraining& training);

}  // namespace coppice::workload
