#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace coppice::ni {

// Chains communication to the next forward pass (C-Cube, gradient queuing, Fig. 9). The enqueue semaphore
// counts chunks of final gradients in order. The layer-chunk table contains, for each layer, the number of
// chunks after which its gradients are complete. The layer index counter holds the next layer to compute. A
// layer is dequeued only after its chunks have arrived and all lower layers have been dequeued.
class GradientQueue {
 public:
  explicit GradientQueue(std::vector<std::int64_t> layer_chunks) : layer_chunks_(std::move(layer_chunks)) {}

  // Records that a chunk has arrived.
  void enqueue() { ++enqueued_; }
  // The next layer to compute. Equals the number of layers once all have been dequeued.
  std::size_t layer() const { return layer_; }
  bool done() const { return layer_ == layer_chunks_.size(); }
  // Whether the gradients of the next layer are complete.
  bool released() const { return !done() && enqueued_ >= layer_chunks_[layer_]; }
  // Dequeues the next layer, whose gradients must be complete, so that it can be computed.
  void take() { ++layer_; }

 private:
  std::vector<std::int64_t> layer_chunks_;
  std::int64_t enqueued_ = 0;
  std::size_t layer_ = 0;
};

}  // namespace coppice::ni
