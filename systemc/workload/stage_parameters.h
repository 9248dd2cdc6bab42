#pragma once

#include <cstdint>

#include "workload/large_training.h"

namespace coppice::workload {

// Weights that a rank has, by who has the same: experts' are copied over data and context, the others over
// the ranks that share experts as well.
struct StageParameters {
  std::int64_t dense = 0;
  std::int64_t expert = 0;

  std::int64_t all() const { return dense + expert; }
  // A rank's share of the parameters that ranks with equal parameters divide among them, each rounded up.
  std::int64_t shares(const LargeTraining& training) const;
  StageParameters& operator+=(const StageParameters& other);
};

// Ranks that have the same weights.
std::int64_t dense_copies(const LargeTraining& training);
std::int64_t expert_copies(const LargeTraining& training);

StageParameters layer_parameters(const LargeTraining& training);
// The parameters of the embedding, and of the output layer with the last normalization; tied weights count
// once if one rank has both.
StageParameters embedding_parameters(const LargeTraining& training);
StageParameters output_parameters(const LargeTraining& training);
// The weights that the output layer computes with, including shared ones that others own.
StageParameters output_uses(const LargeTraining& training);
StageParameters stage_parameters(const LargeTraining& training, int stage);

}  // namespace coppice::workload
