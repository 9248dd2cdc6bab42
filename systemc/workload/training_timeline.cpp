#include "workload/training_timeline.h"

#include "base/error.h"

namespace coppice::workload {
namespace {

// Advances the time by `duration`; throws if it would overflow.
void advance(Femtoseconds& now, Femtoseconds duration) {
  if (__builtin_add_overflow(now, duration, &now)) {
    throw UnsupportedError("the training iteration takes more than the 9,223 s that can be simulated");
  }
}

}  // namespace

TrainingTimeline lay_out_computation(const std::vector<LayerCost>& layers) {
  TrainingTimeline timeline;
  timeline.layers.resize(layers.size());
  Femtoseconds now = 0;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    advance(now, layers[i].forward);
    timeline.layers[i].forward_end = now;
  }
  timeline.forward = now;
  for (std::size_t i = layers.size(); i-- > 0;) {
    LayerTimes& times = timeline.layers[i];
    advance(now, layers[i].weight_gradient);
    times.gradient_ready = times.all_reduce_begin = times.all_reduce_end = now;
    if (i > 0) advance(now, layers[i].input_gradient);
    times.backward_end = now;
  }
  timeline.backward = now - timeline.forward;
  for (const LayerCost& layer : layers) advance(timeline.update, layer.update);
  advance(now, timeline.update);
  timeline.compute = timeline.total = now;
  return timeline;
}

const char* to_string(Overlap overlap) {
  switch (overlap) {
    case Overlap::kNone:
      return "none";
    case Overlap::kChained:
      return "chained";
    case Overlap::kLayerWise:
      return "layer_wise";
    case Overlap::kBucketed:
      return "bucketed";
  }
  return "?";
}

}  // namespace coppice::workload
