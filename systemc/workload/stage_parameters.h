#pragma once

#include <cstdint>

#include "workload/large_training.h"

namespace coppice::workload {

// The numbers of weights of a rank, by the ranks that have copies of them: experts are copied along data and
// context, all other weights also along the ranks that share experts.
struct StageParameters {
  std::int64_t dense = 0;
  std::int64_t expert = 0;

  std::int64_t all() const { return dense + expert; }
  // A rank's share if the ranks with the same parameters divide them evenly, with each part rounded up.
  std::int64_t shares(const LargeTraining& training) const;
  StageParameters& operator+=(const StageParameters& other);
};

// The number of ranks that have the same weights.
std::int64_t dense_copies(const LargeTraining& training);
std::int64_t expert_copies(const LargeTraining& training);

StageParameters layer_parameters(const LargeTraining& training);
// The parameters of the embedding, and of the output layer with the last normalization; tied weights count
// once if one rank has both.
StageParameters embedding_parameters(const LargeTraining& training);
StageParameters output_parameters(const LargeTraining& training);
// The weights with which the output layer computes, including tied weights that another rank owns.
StageParameters output_uses(const LargeTraining& training);
StageParameters stage_parameters(const LargeTraining& training, int stage);

}  // namespace coppice::workload
