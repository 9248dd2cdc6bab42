#include "workload/stage_parameters.h"

namespace coppice::workload {

std::int64_t StageParameters::shares(const LargeTraining& training) const {
  const auto share = [](std::int64_t of, std::int64_t among) { return (of + among - 1) / among; };
  return share(dense, dense_copies(training)) + share(expert, expert_copies(training));
}

StageParameters& StageParameters::operator+=(const StageParameters& other) {
  dense += other.dense;
  expert += other.expert;
  return *this;
}

std::int64_t dense_copies(const LargeTraining& training) {
  return expert_copies(training) * training.parallel.expert;
}

std::int64_t expert_copies(const LargeTraining& training) {
  return std::int64_t{training.parallel.data} * training.parallel.context;
}

StageParameters layer_parameters(const LargeTraining& training) {
  const Slice slice = training.slice();
  return {local_attention_parameters(training.model, slice), local_expert_parameters(training.model, slice)};
}

StageParameters embedding_parameters(const LargeTraining& training) {
  return {local_embedding_parameters(training.model, training.slice()), 0};
}

StageParameters output_parameters(const LargeTraining& training) {
  Transformer model = training.model;
  // If there are several stages, the last stage has its own copy of the weights that are tied to those of the
  // first stage.
  model.tied = model.tied && training.parallel.pipeline == 1;
  return {local_output_parameters(model, training.slice()), 0};
}

StageParameters output_uses(const LargeTraining& training) {
  Transformer model = training.model;
  model.tied = false;
  return {local_output_parameters(model, training.slice()), 0};
}

StageParameters stage_parameters(const LargeTraining& training, int stage) {
  StageParameters sum;
  const StageParameters layer = layer_parameters(training);
  const int layers = training.layers_of_stage(stage);
  sum += {layers * layer.dense, layers * layer.expert};
  if (stage == 0) sum += embedding_parameters(training);
  if (stage == training.stages() - 1) sum += output_parameters(training);
  return sum;
}

}  // namespace coppice::workload
