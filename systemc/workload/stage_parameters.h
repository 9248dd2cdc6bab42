#pragma once

#include <cstdint>

#include "workload/large_training.h"

namespace coppice::workload {

// The number of weights of a rank in each of two groups. Experts are copied along the data and context axes,
// and all other weights also along the expert axis.
struct StageParameters {
  std::int64_t dense = 0;
  std::int64_t expert = 0;

  std::int64_t all() const { return dense + expert; }
  // The number of weights that a rank keeps if all ranks with the same weights divide them evenly; it is
  // rounded up in each group.
  std::int64_t shares(const LargeTraining& training) const;
  StageParameters& operator+=(const StageParameters& other);
};

// For each group of weights, the number of ranks that have the same weights.
std::int64_t dense_copies(const LargeTraining& training);
std::int64_t expert_copies(const LargeTraining& training);

StageParameters layer_parameters(const LargeTraining& training);
// The parameters of the embedding, and those of the output layer with the last normalization. Tied weights
// count only once if one rank has both layers.
StageParameters embedding_parameters(const LargeTraining& training);
StageParameters output_parameters(const LargeTraining& training);
// The weights with which the output layer computes. They include tied weights that another rank owns.
StageParameters output_uses(const LargeTraining& training);
StageParameters stage_parameters(const LargeTraining& training, int stage);

}  // namespace coppice::workload
