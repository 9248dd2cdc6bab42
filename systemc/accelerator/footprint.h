#pragma once

#include <string>
#include <vector>

#include "accelerator/array/operands.h"
#include "base/units.h"
#include "workload/model.h"

namespace coppice::accelerator {

// An optimizer and the size of its state. The state consists of values that are stored for each weight in
// addition to the weight and its gradient. A weight update reads and writes the whole state.
struct Optimizer {
  std::string name = "momentum";
  int states = 1;

  // The number of bytes that an update moves per weight: it reads the weight, the gradient and the state, and
  // writes the weight and the state.
  Bytes bytes_per_weight() const { return workload::kElementBytes * (3 + 2 * states); }
};

// The known optimizers: "sgd" (12 B per weight), "momentum" (20 B) and "adam" (28 B). For other names,
// find_optimizer() throws a std::invalid_argument that lists the valid names.
const std::vector<Optimizer>& optimizers();
const Optimizer& find_optimizer(const std::string& name);

// The memory footprint of a training iteration on one accelerator, in bytes.
struct Footprint {
  Bytes weights = 0;  // in fp32, plus copies if the arrays multiply smaller types
  Bytes gradients = 0;
  Bytes optimizer = 0;
  Bytes activations = 0;   // the input of every layer, kept from its forward to its backward pass, and the
                           // output of the last layer
  Bytes partial_sums = 0;  // maximum size of the PEs' weight gradients that wait to be added up
  Bytes total() const { return weights + gradients + optimizer + activations + partial_sums; }
};

// The size, in bytes, of the copies of `weights` weights that the arrays multiply. The weights themselves are
// updated in fp32.
Bytes copied_weights(std::int64_t weights, ElementType operands);

// The footprint for `batch` samples. `partial_sums` is the maximum number of bytes of weight gradients that
// the PEs hold for any layer. Activations have the type `operands`.
Footprint footprint_of(const workload::Model& model, std::int64_t batch, const Optimizer& optimizer,
                       Bytes partial_sums, ElementType operands = ElementType::kFp32);

}  // namespace coppice::accelerator
