#pragma once

#include <string>
#include <vector>

#include "accelerator/array/operands.h"
#include "base/units.h"
#include "workload/model.h"

namespace coppice::accelerator {

// The memory accesses of a weight update: values per weight besides the weight itself and its gradient, all
// of them read and written.
struct Optimizer {
  std::string name = "momentum";
  int states = 1;

  // Bytes that an update moves for each weight: weight, gradient and states read, weight and states written.
  Bytes bytes_per_weight() const { return workload::kElementBytes * (3 + 2 * states); }
};

// "sgd" (12 B per weight), "momentum" (20 B) and "adam" (28 B). find_optimizer() throws std::invalid_argument
// naming them.
const std::vector<Optimizer>& optimizers();
const Optimizer& find_optimizer(const std::string& name);

// The memory footprint of a training iteration on one accelerator.
struct Footprint {
  Bytes weights = 0;  // in fp32, plus their copies if arrays multiply smaller types
  Bytes gradients = 0;
  Bytes optimizer = 0;
  Bytes activations = 0;   // every layer's input, from its forward to its backward pass, and the last output
  Bytes partial_sums = 0;  // the most weight gradients of PEs that wait to be added
  Bytes total() const { return weights + gradients + optimizer + activations + partial_sums; }
};

// The bytes of the copies that arrays multiply, for `weights` weights: the weights themselves are updated in
// fp32.
Bytes copied_weights(std::int64_t weights, ElementType operands);

// The footprint for `batch` samples. `partial_sums` is the largest amount of weight gradients that the PEs
// hold for any layer; activations have the type `operands`.
Footprint footprint_of(const workload::Model& model, std::int64_t batch, const Optimizer& optimizer,
                       Bytes partial_sums, ElementType operands = ElementType::kFp32);

}  // namespace coppice::accelerator
