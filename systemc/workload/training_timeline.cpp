#include "workload/training_timeline.h"

#include <algorithm>

#include "base/error.h"

namespace coppice::workload {
namespace {

// A clock that only goes forward.
void advance(Femtoseconds& now, Femtoseconds duration) {
  if (__builtin_add_overflow(now, duration, &now)) {
    throw UnsupportedError("the training iteration takes more than the 9,223 s that can be simulated");
  }
}

// The network, one all-reduce at a time, first come first served.
class AllReduceQueue {
 public:
  explicit AllReduceQueue(const AllReduceDuration& duration) : duration_(duration) {}

  // Returns when it began; free_at() is then when it ended.
  Femtoseconds run(Bytes bytes, Femtoseconds ready) {
    const Femtoseconds begin = std::max(ready, free_at_);
    const Femtoseconds length = duration_(bytes);
    free_at_ = begin;
    advance(free_at_, length);
    busy_ += length;  // at most free_at_, so it cannot overflow
    return begin;
  }

  Femtoseconds free_at() const { return free_at_; }
  Femtoseconds busy() const { return busy_; }

 private:
  const AllReduceDuration& duration_;
  Femtoseconds free_at_ = 0;
  Femtoseconds busy_ = 0;
};

Bytes total_gradient(const std::vector<LayerCost>& layers) {
  Bytes total = 0;
  for (const LayerCost& layer : layers) total += layer.gradient_bytes;
  return total;
}

Femtoseconds run_forward(const std::vector<LayerCost>& layers, TrainingTimeline& timeline) {
  Femtoseconds now = 0;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    advance(now, layers[i].forward);
    timeline.layers[i].forward_end = now;
  }
  return now;
}

Femtoseconds run_backward(const std::vector<LayerCost>& layers, Overlap overlap, Femtoseconds now,
                          TrainingTimeline& timeline, AllReduceQueue& queue) {
  for (std::size_t i = layers.size(); i-- > 0;) {
    LayerTimes& times = timeline.layers[i];
    advance(now, layers[i].weight_gradient);
    times.gradient_ready = times.all_reduce_begin = times.all_reduce_end = now;
    if (overlap == Overlap::kLayerWise && layers[i].gradient_bytes > 0) {
      times.all_reduce_begin = queue.run(layers[i].gradient_bytes, now);
      times.all_reduce_end = queue.free_at();
    }
    if (i > 0) advance(now, layers[i].input_gradient);
    times.backward_end = now;
  }
  return now;
}

}  // namespace

std::vector<Bytes> all_reduce_sizes(const std::vector<LayerCost>& layers, Overlap overlap) {
  std::vector<Bytes> sizes;
  if (overlap != Overlap::kLayerWise) {
    if (const Bytes total = total_gradient(layers); total > 0) sizes.push_back(total);
    return sizes;
  }
  for (std::size_t i = layers.size(); i-- > 0;) {
    if (layers[i].gradient_bytes > 0) sizes.push_back(layers[i].gradient_bytes);
  }
  return sizes;
}

TrainingTimeline make_timeline(const std::vector<LayerCost>& layers, Overlap overlap,
                               const AllReduceDuration& duration) {
  TrainingTimeline timeline;
  timeline.layers.resize(layers.size());
  AllReduceQueue queue(duration);
  timeline.forward = run_forward(layers, timeline);
  timeline.compute = run_backward(layers, overlap, timeline.forward, timeline, queue);
  timeline.backward = timeline.compute - timeline.forward;
  if (overlap != Overlap::kLayerWise) {
    for (const Bytes bytes : all_reduce_sizes(layers, overlap)) queue.run(bytes, timeline.compute);
  }
  timeline.total = std::max(timeline.compute, queue.free_at());
  for (const LayerCost& layer : layers) advance(timeline.update, layer.update);
  advance(timeline.total, timeline.update);
  advance(timeline.compute, timeline.update);
  timeline.communication = queue.busy();
  timeline.exposed_communication = timeline.total - timeline.compute;
  timeline.overlapped = timeline.communication - timeline.exposed_communication;
  return timeline;
}

void chain_forward(TrainingTimeline& timeline, Femtoseconds forward_end) {
  timeline.total = timeline.backward;
  advance(timeline.total, std::max(forward_end, timeline.forward));
  timeline.exposed_communication = timeline.total - timeline.compute;
  timeline.overlapped = std::max<Femtoseconds>(timeline.communication - timeline.exposed_communication, 0);
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
