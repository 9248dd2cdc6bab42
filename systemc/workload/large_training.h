#pragma once

#include <cstdint>

#include "base/units.h"
#include "workload/parallel_layout.h"
#include "workload/pipeline_schedule.h"
#include "workload/program.h"
#include "workload/replicated_program.h"
#include "workload/transformer.h"

namespace coppice::workload {

// Which activations are recomputed for the backward pass instead of being stored: none, the attention scores
// (Korthikanti et al. 2022), or all activations of a layer, from its input.
enum class Recomputation { kNone, kSelective, kFull };
const char* to_string(Recomputation recomputation);

// How ranks that share the tokens of a sample exchange keys and values: in blocks that travel around a ring
// while other blocks are being computed (Liu et al. 2023), or by an all-gather before attention and a
// reduce-scatter after its gradient.
enum class ContextExchange { kRing, kAllGather };
const char* to_string(ContextExchange exchange);

// The training of a transformer on many ranks. Weights, activations and gradients are bf16. The optimizer
// stores fp32 values: a copy of each weight, and `optimizer_states` more values per weight.
struct LargeTraining {
  Transformer model;
  ParallelSpec parallel;
  int micro_batches = 1;         // per copy of the model per iteration
  std::int64_t micro_batch = 1;  // samples per micro-batch
  std::int64_t sequence = 1;     // tokens per sample
  PipelineSchedule schedule = PipelineSchedule::kOneForwardOneBackward;
  int chunks = 1;  // number of layer chunks per rank; more than 1 only for the interleaved schedule
  // Whether tensor-parallel ranks divide the tokens of work that each rank would otherwise repeat.
  bool sequence_parallel = false;
  // Ranks with the same weights shard nothing (0), the optimizer state (1), also the gradients (2), or also
  // the weights (3).
  int zero = 0;
  Recomputation recompute = Recomputation::kNone;
  ContextExchange context_exchange = ContextExchange::kRing;
  bool overlap = true;  // whether gradients are reduced during the backward pass, and not only after it
  // The total size of the gradients that are reduced together; 0: each layer separately.
  Bytes bucket = 25'000'000;
  int optimizer_states = 2;
  int iterations = 1;

  int stages() const { return parallel.pipeline * chunks; }
  int layers_of_stage(int stage) const;  // the number of layers differs by at most one between stages
  Slice slice() const;
};

// The maximum memory that an accelerator needs at any time.
struct TrainingMemory {
  Bytes weights = 0;
  Bytes gradients = 0;
  Bytes optimizer = 0;
  Bytes activations = 0;  // Korthikanti et al. 2022, Sec. 4, times the number of micro-batches in flight
  Bytes total() const { return weights + gradients + optimizer + activations; }
};

// Throws LayoutError if the training cannot be laid out: for example, if the number of heads is not divisible
// by the degree of tensor parallelism, or if there are more stages than layers.
void check_training(const LargeTraining& training);

TrainingMemory training_memory(const LargeTraining& training, int pipeline_rank);

// Builds the program of all iterations: the computation and communication of every rank, as in Megatron-LM
// (Narayanan et al. 2021), with ZeRO (Rajbhandari et al. 2020) and expert parallelism (Lepikhin et al. 2020).
// Throws like check_training().
Program build_large_training(const LargeTraining& training);

// Builds the program of build_large_training() in a form in which data-parallel copy 0 represents all copies.
ReplicatedProgram build_replicated_training(const LargeTraining& training);

}  // namespace coppice::workload
