#include <algorithm>
#include <vector>

#include "workload/large_training.h"
#include "workload/stage_parameters.h"

namespace coppice::workload {
namespace {

constexpr Bytes kFloatBytes = 4;

// Activations that a layer keeps of a micro-batch from its forward to its backward pass, by the names of
// Korthikanti et al. 2022: 34 s b h + 5 a s^2 b of a GPT without parallelism.
struct LayerActivations {
  double replicated = 0;  // on every tensor-parallel rank, unless tokens are shared
  double shared = 0;      // by heads and by the MLP's width
  double scores = 0;      // of those, what selective recomputation need not keep
};

LayerActivations layer_activations(const LargeTraining& training) {
  const Transformer& model = training.model;
  const Slice slice = training.slice();
  const auto tokens = static_cast<double>(slice.tokens());
  const auto width = static_cast<double>(model.width);
  const auto tensor = static_cast<double>(slice.tensor);
  const double values = tokens * static_cast<double>(kHalfBytes);
  LayerActivations kept;
  // Inputs of two normalizations, of attention and of the MLP, and masks of a byte behind each of the latter.
  kept.replicated = values * 4 * width + (model.dropout ? 2 * tokens * width : 0);
  const auto queries = static_cast<double>(model.heads * model.head_width);
  const double both = static_cast<double>(2 * slice.local_key_value_heads(model) * model.head_width) * tensor;
  const double scores = static_cast<double>(model.heads) * tokens * static_cast<double>(slice.sequence);
  kept.scores = scores * (model.dropout ? 5 : 2) / tensor;
  const auto wide = static_cast<double>(model.feed_forward * model.experts_per_token);
  const double routed = model.experts > 1 ? values * static_cast<double>(model.experts_per_token) * width : 0;
  kept.shared =
      (values * (2 * queries + both) + values * (model.gated ? 3 : 2) * wide) / tensor + routed + kept.scores;
  return kept;
}

// The layers whose activations a rank keeps at its fullest, counted once for every micro-batch.
double most_layers_kept(const LargeTraining& training, int pipeline_rank) {
  std::int64_t kept = 0;
  std::int64_t most = 0;
  for (const PipelineUnit& unit : pipeline_order(training.schedule, training.parallel.pipeline, pipeline_rank,
                                                 training.chunks, training.micro_batches)) {
    const int stage = unit.chunk * training.parallel.pipeline + pipeline_rank;
    kept += (unit.forward ? 1 : -1) * training.layers_of_stage(stage);
    most = std::max(most, kept);
  }
  return static_cast<double>(most);
}

double activations(const LargeTraining& training, int pipeline_rank) {
  const LayerActivations layer = layer_activations(training);
  const Slice slice = training.slice();
  const auto tensor = static_cast<double>(slice.tensor);
  const double replicated = layer.replicated / (training.sequence_parallel ? tensor : 1);
  const double whole = replicated + layer.shared;
  const double input = static_cast<double>(slice.tokens() * training.model.width * kHalfBytes) /
                       (training.sequence_parallel ? tensor : 1);
  const double kept_layers = most_layers_kept(training, pipeline_rank);
  double sum = 0;
  switch (training.recompute) {
    case Recomputation::kNone:
      sum = kept_layers * whole;
      break;
    case Recomputation::kSelective:
      sum = kept_layers * (whole - layer.scores) + layer.scores;
      break;
    case Recomputation::kFull:
      sum = kept_layers * input + whole;
      break;
  }
  if (pipeline_rank == training.parallel.pipeline - 1) {
    // Inputs of the last normalization and of the output layer, and its outputs in fp32.
    const double words = static_cast<double>(training.model.vocabulary) / tensor;
    sum += 2 * input + static_cast<double>(slice.tokens() * kFloatBytes) * words;
  }
  return sum;
}

}  // namespace

TrainingMemory training_memory(const LargeTraining& training, int pipeline_rank) {
  StageParameters sum;
  const StageParameters layer = layer_parameters(training);
  for (int chunk = 0; chunk < training.chunks; ++chunk) {
    sum += stage_parameters(training, chunk * training.parallel.pipeline + pipeline_rank);
  }
  const auto shared = [&](const StageParameters& parameters, bool share) {
    return share ? parameters.shares(training) : parameters.all();
  };
  TrainingMemory memory;
  memory.weights = kHalfBytes * shared(sum, training.zero >= 3);
  // Weights that are gathered for a layer, and ahead for the next.
  if (training.zero >= 3) memory.weights += kHalfBytes * 2 * layer.all();
  memory.gradients = kHalfBytes * shared(sum, training.zero >= 2);
  memory.optimizer = kFloatBytes * (1 + training.optimizer_states) * shared(sum, training.zero >= 1);
  memory.activations = static_cast<Bytes>(activations(training, pipeline_rank));
  return memory;
}

}  // namespace coppice::workload
