#pragma once

#include <cstdint>

#include "base/units.h"
#include "workload/parallel_layout.h"
#include "workload/pipeline_schedule.h"
#include "workload/program.h"
#include "workload/transformer.h"

namespace coppice::workload {

// The activations that are recomputed for the backward pass instead of being stored: none, attention scores
// (Korthikanti et al. 2022), or every layer from its input.
enum class Recomputation { kNone, kSelective, kFull };
const char* to_string(Recomputation recomputation);

// How the ranks that share a sample's tokens exchange keys and values: in blocks that travel around a ring
// while other blocks are computed (Liu et al. 2023), or by an all-gather before attention and a
// reduce-scatter after its gradient.
enum class ContextExchange { kRing, kAllGather };
const char* to_string(ContextExchange exchange);

// The training of a transformer on many ranks. Weights, activations and gradients are bf16; the optimizer
// stores fp32 values: the weights, and `optimizer_states` additional values per weight.
struct LargeTraining {
  Transformer model;
  ParallelSpec parallel;
  int micro_batches = 1;         // per copy of the model and iteration
  std::int64_t micro_batch = 1;  // samples
  std::int64_t sequence = 1;     // tokens per sample
  PipelineSchedule schedule = PipelineSchedule::kOneForwardOneBackward;
  int chunks = 1;  // chunks of layers per rank; more than 1 only if interleaved
  // Whether tensor-parallel ranks divide, by tokens, the work that each would otherwise repeat.
  bool sequence_parallel = false;
  int zero = 0;  // ranks of a group shard the optimizer state (1), also gradients (2), also weights (3)
  Recomputation recompute = Recomputation::kNone;
  ContextExchange context_exchange = ContextExchange::kRing;
  bool overlap = true;        // whether gradients are reduced during computation, not after it
  Bytes bucket = 25'000'000;  // total size of gradients that are reduced together; 0: layer by layer
  int optimizer_states = 2;
  int iterations = 1;

  int stages() const { return parallel.pipeline * chunks; }
  int layers_of_stage(int stage) const;  // number of layers of a stage; stages differ by at most one layer
  Slice slice() const;
};

// An accelerator's peak memory.
struct TrainingMemory {
  Bytes weights = 0;
  Bytes gradients = 0;
  Bytes optimizer = 0;
  Bytes activations = 0;  // Korthikanti et al. 2022, Sec. 4, times the micro-batches in flight
  Bytes total() const { return weights + gradients + optimizer + activations; }
};

// Throws LayoutError if the training cannot be laid out: for example, if tensor parallelism cannot divide the
// heads, or if there are more stages than layers.
void check_training(const LargeTraining& training);

TrainingMemory training_memory(const LargeTraining& training, int pipeline_rank);

// The program of all iterations: the computation and communication of every rank, as in Megatron-LM
// (Narayanan et al. 2021), ZeRO (Rajbhandari et al. 2020) and expert parallelism (Lepikhin et al. 2020).
// Throws as check_training() does.
Program build_large_training(const LargeTraining& training);

// A program whose copies execute the same operations in the same order; copy 0 represents all of them.
struct ReplicatedProgram {
  Program program;                       // only the ranks of copy 0 have operations
  std::vector<std::vector<int>> copies;  // [copy][i]: the rank that corresponds to rank copies[0][i]
};

// The program of build_large_training(), represented by data-parallel copy 0 of the model.
ReplicatedProgram build_replicated_training(const LargeTraining& training);

}  // namespace coppice::workload
