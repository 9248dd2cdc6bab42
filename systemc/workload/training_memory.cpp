#include <algorithm>
#include <utility>
#include <vector>

#include "workload/large_training.h"
#include "workload/stage_parameters.h"

namespace coppice::workload {
namespace {

// The size of the activations that a layer keeps from its forward to its backward pass, per micro-batch. As
// in Korthikanti et al. 2022, this is 34 s b h + 5 a s^2 b for a GPT without parallelism.
struct LayerActivations {
  double replicated = 0;  // kept on every tensor-parallel rank, unless ranks share tokens
  double shared = 0;      // divided among tensor-parallel ranks by heads and by the MLP's width
  double scores = 0;      // the part of `shared` that is recomputed by selective recomputation
};

LayerActivations layer_activations(const LargeTraining& training) {
  const Transformer& model = training.model;
  const Slice slice = training.slice();
  const auto tokens = static_cast<double>(slice.tokens());
  const auto width = static_cast<double>(model.width);
  const auto tensor = static_cast<double>(slice.tensor);
  const double values = tokens * static_cast<double>(kHalfBytes);
  LayerActivations kept;
  // A layer stores the inputs of two normalizations, of attention and of the MLP. With dropout, it also
  // stores one-byte masks after attention and after the MLP.
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

// The maximum number of layers whose activations a rank keeps at the same time. A layer counts once for each
// micro-batch.
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
    // The last stage also keeps the inputs of the last normalization and of the output layer, and the fp32
    // results of the latter.
    const double words = static_cast<double>(training.model.vocabulary) / tensor;
    sum += 2 * input + static_cast<double>(slice.tokens() * kElementBytes) * words;
  }
  return sum;
}

// The number of weights that other ranks also have. With ZeRO, ranks divide these weights and gather them
// when needed.
std::int64_t shared_weights(const LargeTraining& training, const StageParameters& parameters) {
  return (dense_copies(training) > 1 ? parameters.dense : 0) +
         (expert_copies(training) > 1 ? parameters.expert : 0);
}

// Finds the maximum number of gathered weights that a rank holds. A rank gathers weights in the order in
// which it uses them, each set while the previous set is in use.
class GatheredWeights {
 public:
  explicit GatheredWeights(const LargeTraining& training)
      : training_(training),
        layer_(shared_weights(training, layer_parameters(training))),
        embedding_(shared_weights(training, embedding_parameters(training))),
        output_(shared_weights(training, output_uses(training))) {}

  std::int64_t most(int pipeline_rank) {
    for (const PipelineUnit& unit :
         pipeline_order(training_.schedule, training_.parallel.pipeline, pipeline_rank, training_.chunks,
                        training_.micro_batches)) {
      run(unit, unit.chunk * training_.parallel.pipeline + pipeline_rank);
    }
    return most_;
  }

 private:
  enum Kind { kNone, kEmbedding, kLayer, kOutput };

  void run(const PipelineUnit& unit, int stage) {
    const bool ends = stage == training_.stages() - 1;
    if (unit.forward && stage == 0) use(kEmbedding, 0, embedding_);
    if (!unit.forward && ends) use(kOutput, 0, output_);
    const int layers = training_.layers_of_stage(stage);
    for (int i = 0; i < layers; ++i) {
      use(kLayer, stage * kMostLayers + (unit.forward ? i : layers - 1 - i), layer_);
    }
    if (unit.forward && ends) use(kOutput, 0, output_);
  }

  // If the same weights are used twice in a row, they are stored only once.
  void use(Kind kind, std::int64_t number, std::int64_t weights) {
    const std::pair one{kind, number};
    if (one == last_) return;
    most_ = std::max(most_, weights + std::exchange(last_weights_, weights));
    last_ = one;
  }

  static constexpr std::int64_t kMostLayers = std::int64_t{1} << 32;

  const LargeTraining& training_;
  std::int64_t layer_;
  std::int64_t embedding_;
  std::int64_t output_;
  std::pair<Kind, std::int64_t> last_{kNone, 0};
  std::int64_t last_weights_ = 0;
  std::int64_t most_ = 0;
};

// Gradients that are being sent to the ranks that keep them. While one bucket is being reduced, the next one
// fills. Without overlap, a single bucket holds all gradients.
class GradientBuckets {
 public:
  explicit GradientBuckets(const LargeTraining& training) : training_(training) {}

  void add(std::int64_t parameters) {
    filling_ += parameters;
    most_ = std::max(most_, reduced_ + filling_);
    if (training_.overlap && filling_ * kHalfBytes >= training_.bucket) {
      reduced_ = std::exchange(filling_, 0);
    }
  }
  // Called at the end of a stage's backward pass, when all buckets have been reduced.
  void end() { reduced_ = filling_ = 0; }
  std::int64_t most() const { return most_; }

 private:
  const LargeTraining& training_;
  std::int64_t filling_ = 0;
  std::int64_t reduced_ = 0;
  std::int64_t most_ = 0;
};

// If ranks shard gradients: the maximum number of gradients that a rank holds in addition to its own shard.
std::int64_t gradients_in_flight(const LargeTraining& training, int pipeline_rank) {
  const bool together = dense_copies(training) == expert_copies(training);
  GradientBuckets dense(training);
  GradientBuckets experts(training);
  const auto add = [&](const StageParameters& parameters) {
    if (dense_copies(training) > 1) dense.add(together ? parameters.all() : parameters.dense);
    if (!together && expert_copies(training) > 1) experts.add(parameters.expert);
  };
  for (int chunk = 0; chunk < training.chunks; ++chunk) {
    const int stage = chunk * training.parallel.pipeline + pipeline_rank;
    if (stage == training.stages() - 1) add(output_parameters(training));
    for (int i = 0; i < training.layers_of_stage(stage); ++i) add(layer_parameters(training));
    if (stage == 0) add(embedding_parameters(training));
    dense.end();
    experts.end();
  }
  return dense.most() + experts.most();
}

}  // namespace

TrainingMemory training_memory(const LargeTraining& training, int pipeline_rank) {
  StageParameters sum;
  for (int chunk = 0; chunk < training.chunks; ++chunk) {
    sum += stage_parameters(training, chunk * training.parallel.pipeline + pipeline_rank);
  }
  const auto shared = [&](const StageParameters& parameters, bool share) {
    return share ? parameters.shares(training) : parameters.all();
  };
  TrainingMemory memory;
  memory.weights = kHalfBytes * shared(sum, training.zero >= 3);
  if (training.zero >= 3) memory.weights += kHalfBytes * GatheredWeights(training).most(pipeline_rank);
  memory.gradients = kHalfBytes * shared(sum, training.zero >= 2);
  if (training.zero >= 2) memory.gradients += kHalfBytes * gradients_in_flight(training, pipeline_rank);
  memory.optimizer = kElementBytes * (1 + training.optimizer_states) * shared(sum, training.zero >= 1);
  memory.activations = static_cast<Bytes>(activations(training, pipeline_rank));
  return memory;
}

}  // namespace coppice::workload
