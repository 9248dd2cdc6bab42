#pragma once

#include <string>
#include <vector>

#include "base/units.h"

namespace coppice::workload {

// When the gradients' all-reduces run (MultiTree paper, Sec. V: the two ways it measures training).
enum class Overlap {
  kNone,       // forward, backward, then one all-reduce of all gradients
  kChained,    // backward, then one all-reduce, and the next forward pass as its gradients become final
               // (C-Cube)
  kLayerWise,  // the all-reduce of a layer is queued when its gradient is ready, while backward goes on
  kBucketed,   // those of neighbouring layers are reduced together, training.bucket bytes at a time
};

// The cost of one layer to one accelerator in an iteration: time of each pass over its mini-batch, the bytes
// of gradient that must be reduced over all accelerators (0: none), and the time of the update.
struct LayerCost {
  std::string name;
  Femtoseconds forward = 0;
  Femtoseconds input_gradient = 0;
  Femtoseconds weight_gradient = 0;  // local aggregation over the PEs included
  Bytes gradient_bytes = 0;
  Femtoseconds update = 0;  // of its weights, by the gradients of all accelerators
};

// When things happen to a layer, from the begin of the iteration. Without gradient bytes, or without
// overlap, the all-reduce's three times are equal: it has none.
struct LayerTimes {
  Femtoseconds forward_end = 0;
  Femtoseconds backward_end = 0;    // weight and input gradient done
  Femtoseconds gradient_ready = 0;  // weight gradient done
  Femtoseconds all_reduce_begin = 0;
  Femtoseconds all_reduce_end = 0;
};

// One training iteration of synchronous SGD on equal accelerators.
//   total = compute + exposed_communication,  communication = exposed_communication + overlapped
struct TrainingTimeline {
  Femtoseconds forward = 0;
  Femtoseconds backward = 0;
  Femtoseconds compute = 0;                // forward + backward
  Femtoseconds communication = 0;          // while any all-reduce is under way
  Femtoseconds exposed_communication = 0;  // part of it after the computation has ended
  Femtoseconds overlapped = 0;             // part of it while the accelerators compute
  Femtoseconds total = 0;
  std::vector<LayerTimes> layers;  // in the order of the forward pass
  Femtoseconds update = 0;         // of all weights, where the iteration has it: part of compute
};

// The passes of an iteration on an accelerator that waits for nothing: forward in order and backward in
// reverse; of each layer the weight gradient first, so that its all-reduce may begin, then the input
// gradient, which the first layer does not need; then the updates. Throws UnsupportedError if they take
// longer than Femtoseconds can hold.
TrainingTimeline lay_out_computation(const std::vector<LayerCost>& layers);

const char* to_string(Overlap overlap);

}  // namespace coppice::workload
