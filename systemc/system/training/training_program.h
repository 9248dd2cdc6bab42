#pragma once

#include <vector>

#include "base/units.h"
#include "system/program/gradient_chain.h"
#include "workload/model.h"
#include "workload/program.h"
#include "workload/training_timeline.h"

namespace coppice::system {

// A training iteration on equal accelerators as a program. It consists of the forward passes; the backward
// passes from the last layer to the first, each with the weight gradient and, except for the first layer, the
// input gradient; all-reduces of gradients over all ranks, each as soon as its gradients are ready; and,
// after the backward pass, the weight updates, each as soon as its gradients are reduced. The all-reduces
// depend on `overlap`:
//   none        one for all layers, after the backward pass;
//   layer_wise  one per layer with weights;
//   bucketed    one per bucket of layers, filled from the last layer on until it has `bucket` bytes;
//   chained     one for all layers, after the backward pass, where the iteration starts; each layer is
//               updated and passed forward as its gradients become final.
// All-reduces of lower layers have higher priority, since the next iteration needs them first. Gradients of
// fewer than `least` bytes are padded to `least`.
struct TrainingProgram {
  workload::Program program;
  // [layer]: the collective that contains its gradients; -1: none.
  std::vector<int> collective_of;
  GradientChain chain{};
};

// costs[i] is the cost of layer i. With a `model`, computations are passes over its layers.
TrainingProgram make_training_program(const std::vector<workload::LayerCost>& costs,
                                      workload::Overlap overlap, Bytes bucket, Bytes least, int accelerators,
                                      const workload::Model* model = nullptr);

}  // namespace coppice::system
