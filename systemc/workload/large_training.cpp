#include "workload/large_training.h"

#include <fmt/format.h>

namespace coppice::workload {
namespace {

void require_shared(std::int64_t what, const char* name, int ways, const char* key) {
  if (what % ways == 0) return;
  throw LayoutError(
      key, fmt::format("{} {} cannot be divided by {}: use a divisor of {}", what, name, ways, what));
}

void check_shares(const LargeTraining& training) {
  const Transformer& model = training.model;
  const ParallelSpec& parallel = training.parallel;
  constexpr const char* kTensorKey = "training.parallel.tensor";
  require_shared(model.heads, "heads", parallel.tensor, kTensorKey);
  require_shared(model.feed_forward, "MLP columns", parallel.tensor, kTensorKey);
  if (parallel.tensor % model.key_value_heads != 0) {
    require_shared(model.key_value_heads, "key-value heads", parallel.tensor, kTensorKey);
  }
  require_shared(model.experts, "experts", parallel.expert, "training.parallel.expert");
  require_shared(training.sequence, "tokens per sample", parallel.context, "training.parallel.context");
  if (training.sequence_parallel) {
    require_shared(training.slice().tokens(), "tokens per micro-batch", parallel.tensor, kTensorKey);
  }
}

void check_pipeline(const LargeTraining& training) {
  const int pipeline = training.parallel.pipeline;
  if (training.schedule != PipelineSchedule::kInterleaved && training.chunks != 1) {
    throw LayoutError("training.interleave",
                      fmt::format("{} chunks of layers per rank need the interleaved schedule: leave out "
                                  "this key, or write training.schedule: interleaved",
                                  training.chunks));
  }
  if (training.schedule == PipelineSchedule::kInterleaved && training.micro_batches % pipeline != 0) {
    throw LayoutError(
        "training.micro_batches",
        fmt::format(
            "an interleaved schedule with {} pipeline ranks needs a multiple of {} micro-batches, not {}",
            pipeline, pipeline, training.micro_batches));
  }
  if (training.stages() <= training.model.layers) return;
  throw LayoutError("training.parallel.pipeline",
                    fmt::format("{} layers cannot form {} stages: at most {} are possible",
                                training.model.layers, training.stages(), training.model.layers));
}

}  // namespace

const char* to_string(Recomputation recomputation) {
  switch (recomputation) {
    case Recomputation::kNone:
      return "none";
    case Recomputation::kSelective:
      return "selective";
    case Recomputation::kFull:
      return "full";
  }
  return "?";
}

const char* to_string(ContextExchange exchange) {
  return exchange == ContextExchange::kRing ? "ring" : "all_gather";
}

int LargeTraining::layers_of_stage(int stage) const {
  const std::int64_t before = model.layers * stage / stages();
  return static_cast<int>(model.layers * (stage + 1) / stages() - before);
}

Slice LargeTraining::slice() const {
  return {micro_batch, sequence, parallel.tensor, parallel.context, parallel.expert};
}

void check_training(const LargeTraining& training) {
  const ParallelLayout layout(training.parallel);  // the constructor throws if the layout is impossible
  check_shares(training);
  check_pipeline(training);
}

}  // namespace coppice::workload
