#pragma once

#include <string>
#include <vector>

#include "accelerator/array/operands.h"
#include "base/units.h"
#include "workload/model.h"

namespace coppice::accelerator {

// An optimizer's state: values per weight in addition to the weight and its gradient, all of them read and
// written by a weight update.
struct Optimizer {
  std::string name = "momentum";
  int states = 1;

  // Bytes that an update moves per weight: the weight, gradient and states read; the weight and states
  // written.
  Bytes bytes_per_weight() const { return workload::kElementBytes * (3 + 2 * states); }
};

// "sgd" (12 B per weight), "momentum" (20 B) and "adam" (28 B). For other names, find_optimizer() throws
// std::invalid_argument with the valid ones.
const std::vector<Optimizer>& optimizers();
const Optimizer& find_optimizer(const std::string& name);

// The memory footprint of a training iteration on one accelerator.
struct Footprint {
  Bytes weights = 0;  // in fp32, plus copies if arrays multiply smaller types
  Bytes gradients = 0;
  Bytes optimizer = 0;
  Bytes activations =
      0;  // every layer's input, from its forward to its backward pass, and the last layer's output
  Bytes partial_sums = 0;  // maximum amount of weight gradients of PEs that wait to be added
  Bytes total() const { return weights + gradients + optimizer + activations + partial_sums; }
};

// The bytes of the copies of `weights` weights that arrays multiply; the weights themselves are updated in
// fp32.
Bytes copied_weights(std::int64_t weights, ElementType operands);

// The footprint for `batch` samples. `partial_sums` is the maximum amount of weight gradients that the PEs
// hold for any layer; activations have the type `operands`.
Footprint footprint_of(const workload::Model& model, std::int64_t batch, const Optimizer& optimizer,
                       Bytes partial_sums, ElementType operands = ElementType::kFp32);

}  // namespace coppice::accelerator
