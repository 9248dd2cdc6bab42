#pragma once

#include <functional>
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
// overlap, the all-reduce's three times are equal: it has none of its own.
struct LayerTimes {
  Femtoseconds forward_end = 0;
  Femtoseconds backward_end = 0;      // weight and input gradient done
  Femtoseconds gradient_ready = 0;    // weight gradient done
  Femtoseconds all_reduce_begin = 0;  // leaves the queue
  Femtoseconds all_reduce_end = 0;
};

// One training iteration of synchronous SGD on equal accelerators.
//   total = compute + exposed_communication,  communication = exposed_communication + overlapped
struct TrainingTimeline {
  Femtoseconds forward = 0;
  Femtoseconds backward = 0;
  Femtoseconds compute = 0;                // forward + backward
  Femtoseconds communication = 0;          // sum of the all-reduces' durations
  Femtoseconds exposed_communication = 0;  // part of it after the computation has ended
  Femtoseconds overlapped = 0;             // part of it while the accelerators compute
  Femtoseconds total = 0;
  std::vector<LayerTimes> layers;  // in the order of the forward pass
  Femtoseconds update = 0;         // of all weights, where the iteration has it: part of compute
};

// The duration of an all-reduce of so many bytes over all accelerators, alone on the network.
using AllReduceDuration = std::function<Femtoseconds(Bytes)>;

// The bytes of every all-reduce of an iteration, in the order in which they are queued.
std::vector<Bytes> all_reduce_sizes(const std::vector<LayerCost>& layers, Overlap overlap);

// Runs forward in order and backward in reverse; of each layer the weight gradient first, so that its
// all-reduce may begin, then the input gradient, which the first layer does not need. The all-reduces of
// kLayerWise run one at a time in the order in which their gradients were ready, so durations measured one by
// one are exact; kChained is laid out as kNone, for chain_forward() to shorten. Throws UnsupportedError if
// the iteration is longer than Femtoseconds can hold.
TrainingTimeline make_timeline(const std::vector<LayerCost>& layers, Overlap overlap,
                               const AllReduceDuration& duration);

// A timeline of kChained, where the forward pass follows the all-reduce: it ended `forward_end` after the
// all-reduce began, and not after all of it. Throws as make_timeline().
void chain_forward(TrainingTimeline& timeline, Femtoseconds forward_end);

const char* to_string(Overlap overlap);

}  // namespace coppice::workload
