#pragma once

#include <string>
#include <vector>

#include "base/units.h"

namespace coppice::workload {

// When gradient all-reduces run (Sec. V of the MultiTree paper measures training in two of these ways).
enum class Overlap {
  kNone,       // forward, backward, then one all-reduce of all gradients
  kChained,    // backward, then one all-reduce, and the next forward pass as its gradients become final
               // (C-Cube)
  kLayerWise,  // the all-reduce of a layer is queued when its gradient is ready, while the backward pass
               // continues
  kBucketed,   // layer-wise, but gradients of neighbouring layers are combined up to training.bucket bytes
};

// One layer's cost on one accelerator per iteration: the time of each pass over its mini-batch, the gradient
// bytes to reduce over all accelerators (0: none), and the time of the update.
struct LayerCost {
  std::string name;
  Femtoseconds forward = 0;
  Femtoseconds input_gradient = 0;
  Femtoseconds weight_gradient = 0;  // including local aggregation over the PEs
  Bytes gradient_bytes = 0;
  Femtoseconds update = 0;  // time to update the layer's weights once gradients have been reduced
};

// Times of events in a layer, from the start of the iteration. Without gradient bytes, or without overlap,
// the layer has no all-reduce of its own, and the three times of the all-reduce are equal.
struct LayerTimes {
  Femtoseconds forward_end = 0;
  Femtoseconds backward_end = 0;    // weight and input gradients are complete
  Femtoseconds gradient_ready = 0;  // weight gradient is complete
  Femtoseconds all_reduce_begin = 0;
  Femtoseconds all_reduce_end = 0;
};

// One training iteration of synchronous SGD on equal accelerators.
//   total = compute + exposed_communication,  communication = exposed_communication + overlapped
struct TrainingTimeline {
  Femtoseconds forward = 0;
  Femtoseconds backward = 0;
  Femtoseconds compute = 0;                // forward + backward
  Femtoseconds communication = 0;          // time during which any all-reduce is in progress
  Femtoseconds exposed_communication = 0;  // part of it after the end of the computation
  Femtoseconds overlapped = 0;             // part of it during the computation
  Femtoseconds total = 0;
  std::vector<LayerTimes> layers;  // in the order of the forward pass
  Femtoseconds update = 0;         // time to update all weights, included in compute; 0 if none
};

// The passes of an iteration on an accelerator that never waits: forward in order, backward in reverse, then
// the updates. In the backward pass, each layer first computes its weight gradient, so that its all-reduce
// can begin, and then its input gradient, which the first layer does not need. Throws UnsupportedError if
// their total time exceeds the range of Femtoseconds.
TrainingTimeline lay_out_computation(const std::vector<LayerCost>& layers);

const char* to_string(Overlap overlap);

}  // namespace coppice::workload
