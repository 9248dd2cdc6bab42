#pragma once

#include <string>
#include <vector>

#include "base/units.h"

namespace coppice::workload {

// When all-reduces of gradients run. Sec. V of the MultiTree paper measures training in two of these ways.
enum class Overlap {
  kNone,       // after the forward and backward passes, one all-reduce reduces all gradients
  kChained,    // after the backward pass, one all-reduce, during which the next forward pass begins
               // as gradients become final (C-Cube)
  kLayerWise,  // the all-reduce of a layer is queued when its gradient is ready, during the
               // backward pass
  kBucketed,   // like kLayerWise, but neighbouring layers share an all-reduce of up to training.bucket bytes
};

// The cost of a layer on one accelerator in one iteration: the time of each pass over its mini-batch, the
// size of the gradient that all accelerators reduce (0: none), and the time of the update.
struct LayerCost {
  std::string name;
  Femtoseconds forward = 0;
  Femtoseconds input_gradient = 0;
  Femtoseconds weight_gradient = 0;  // includes aggregation among the accelerator's PEs
  Bytes gradient_bytes = 0;
  Femtoseconds update = 0;  // time to update the layer's weights after their gradients have been reduced
};

// The times of a layer's events, counted from the start of the iteration. If the layer has no all-reduce of
// its own (no gradient, or no overlap), then gradient_ready, all_reduce_begin and all_reduce_end are equal.
struct LayerTimes {
  Femtoseconds forward_end = 0;
  Femtoseconds backward_end = 0;    // when the gradients of weights and input are complete
  Femtoseconds gradient_ready = 0;  // when the gradient of the weights is complete
  Femtoseconds all_reduce_begin = 0;
  Femtoseconds all_reduce_end = 0;
};

// One training iteration of synchronous SGD on equal accelerators, where
//   total = compute + exposed_communication,  communication = exposed_communication + overlapped
struct TrainingTimeline {
  Femtoseconds forward = 0;
  Femtoseconds backward = 0;
  Femtoseconds compute = 0;                // forward + backward + update
  Femtoseconds communication = 0;          // time during which an all-reduce is in progress
  Femtoseconds exposed_communication = 0;  // the part of `communication` after the computation
  Femtoseconds overlapped = 0;             // the part of `communication` during the computation
  Femtoseconds total = 0;
  std::vector<LayerTimes> layers;  // in the order of the forward pass
  Femtoseconds update = 0;         // time to update all weights, which `compute` includes; 0: none
};

// The passes of an iteration on an accelerator that never waits: forward passes in the order of layers,
// backward passes in reverse order, then the updates. In the backward pass, each layer first computes the
// gradient of its weights, so that the all-reduce can begin, and then that of its input, which the first
// layer does not need. Throws UnsupportedError if the total time is too long for Femtoseconds.
TrainingTimeline lay_out_computation(const std::vector<LayerCost>& layers);

const char* to_string(Overlap overlap);

}  // namespace coppice::workload
