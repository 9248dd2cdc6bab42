#pragma once

#include <vector>

#include "base/units.h"
#include "system/program/gradient_chain.h"
#include "workload/model.h"
#include "workload/program.h"
#include "workload/training_timeline.h"

namespace coppice::system {

// An iteration of training on equal accelerators as a program: the layers' forward passes; then the backward
// pass, from the last layer to the first, each with the weight gradient and, except for the first layer, the
// input gradient; the all-reduces of gradients over all ranks, each as soon as its gradients are ready; and,
// after the backward pass, the updates of weights, each as soon as its gradients are reduced.
//   none        one all-reduce for all layers, after the backward pass;
//   layer_wise  one for each layer that learns;
//   bucketed    one for layers from the last on, as soon as `bucket` bytes or more are ready;
//   chained     one for all layers, after the backward pass, where the iteration begins; each layer is
//               updated and passed forward as its gradients become final.
// All-reduces of lower layers, which the next iteration needs first, have higher priority. Gradients of fewer
// than `least` bytes are padded to that size.
struct TrainingProgram {
  workload::Program program;
  // [layer]: the collective that contains its gradients; -1: none.
  std::vector<int> collective_of;
  GradientChain chain{};
};

// Computations are passes over the layers of `model`, if there is one; costs[i] is the cost of its layer i.
TrainingProgram make_training_program(const std::vector<workload::LayerCost>& costs,
                                      workload::Overlap overlap, Bytes bucket, Bytes least, int accelerators,
                                      const workload::Model* model = nullptr);

}  // namespace coppice::system
