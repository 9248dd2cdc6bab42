#pragma once

#include <vector>

#include "base/units.h"
#include "system/program/gradient_chain.h"
#include "workload/model.h"
#include "workload/program.h"
#include "workload/training_timeline.h"

namespace coppice::system {

// An iteration of training on equal accelerators as a program: the layers' forward passes, then backward,
// from the last layer to the first, the weight gradient and, except for the first, the input gradient; the
// all-reduces of gradients over all ranks, each as soon as its gradients are there; and after backward the
// updates of weights, each as soon as its gradients are reduced.
//   none        one of all, after backward;
//   layer_wise  one for each layer that learns;
//   bucketed    of the layers from the last on, one as soon as `bucket` bytes or more are together;
//   chained     one of all, after backward, where the iteration begins; each layer is updated and passed
//   forward
//               as its gradients become final.
// Those of lower layers, which the next iteration needs first, have the higher priority. Gradients of fewer
// than `least` bytes are padded to as many.
struct TrainingProgram {
  workload::Program program;
  // [layer]: the collective that has its gradients; -1: none.
  std::vector<int> collective_of;
  GradientChain chain{};
};

// Computations are passes over the layers of `model`, if there is one, which costs[i] belong to.
TrainingProgram make_training_program(const std::vector<workload::LayerCost>& costs,
                                      workload::Overlap overlap, Bytes bucket, Bytes least, int accelerators,
                                      const workload::Model* model = nullptr);

}  // namespace coppice::system
