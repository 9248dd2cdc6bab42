#pragma once

#include <vector>

#include "base/units.h"
#include "system/program/gradient_chain.h"
#include "workload/model.h"
#include "workload/program.h"
#include "workload/training_timeline.h"

namespace coppice::system {

// A training iteration on equal accelerators, as a program. Forward passes are followed by backward passes
// from the last layer to the first. A backward pass computes the weight gradient and, except for the first
// layer, the input gradient. All-reduces over all ranks start as soon as their gradients are ready. After the
// backward pass, weights are updated as soon as their gradients have been reduced. `overlap` determines the
// all-reduces:
//   none        one for all layers, after the backward pass;
//   layer_wise  one for each layer with weights;
//   bucketed    one for each bucket of layers, filled from the last layer on until it has `bucket` bytes;
//   chained     one for all layers, after the backward pass. The iteration starts with this all-reduce, and
//               each layer is updated and begins its forward pass when its gradients become final.
// All-reduces of layers closer to the input have higher priority, since the next iteration needs them first.
// Gradients of fewer than `least` bytes are padded to `least`.
struct TrainingProgram {
  workload::Program program;
  // [layer]: index of the collective that reduces its gradients; -1: none.
  std::vector<int> collective_of;
  GradientChain chain{};
};

// costs[i] is the cost of layer i. If `model` is set, computations are passes over its layers.
TrainingProgram make_training_program(const std::vector<workload::LayerCost>& costs,
                                      workload::Overlap overlap, Bytes bucket, Bytes least, int accelerators,
                                      const workload::Model* model = nullptr);

}  // namespace coppice::system
