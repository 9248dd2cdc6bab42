#pragma once

#include <span>
#include <vector>

#include "schedule/compile/latency_model.h"
#include "schedule/hierarchical/chunk_simulation.h"

namespace coppice::schedule {

// For each dimension, the total communication time of all chunks scheduled so far (Themis, Sec. 4.2).
class DimLoadTracker {
 public:
  explicit DimLoadTracker(const LatencyModel& model)
      : model_(&model), sent_(model.dimensions(), 0), loads_(model.dimensions(), 0) {
    received_ = sent_;
  }

  // Resets the loads to the fixed delays A_K of the whole collective (Sec. 4.4).
  void reset(Collective collective);
  std::span<const Femtoseconds> loads() const { return loads_; }
  // Adds n_K x B_K for the plan of a chunk; the fixed delays are already included. With in-network reduction,
  // n_K is the larger of the numbers of bytes that accelerators send and receive.
  void update(const ChunkPlan& chunk);

 private:
  const LatencyModel* model_;
  std::vector<Femtoseconds> sent_;
  std::vector<Femtoseconds> received_;
  std::vector<Femtoseconds> loads_;  // [dimension]: the larger of sent_ and received_
};

// Plans the baseline (Themis, Sec. 2.3): all chunks reduce-scatter over dimensions 0, 1, ... and all-gather
// in the reverse order.
std::vector<ChunkPlan> schedule_baseline(const LatencyModel& model, Collective collective,
                                         std::span<const Chunk> chunks);

// Plans chunks according to Themis, Algorithm 1. A chunk traverses the dimensions from the least loaded to
// the most loaded (in its all-gather, in reverse), so that less loaded dimensions carry more of it. If the
// loads differ by less than a threshold, the chunk uses the order of the baseline. The threshold is the time
// to reduce-scatter a 16th of the chunk in the least loaded dimension (Sec. 5.3). If dimensions are equally
// loaded, the lower number counts as less loaded. An all-reduce adds both phases of a chunk to the loads.
std::vector<ChunkPlan> schedule_themis(const LatencyModel& model, Collective collective,
                                       std::span<const Chunk> chunks);

// Returns the plan of a chunk that is reduce-scattered in `order` and all-gathered in the reverse order. It
// includes only the phases of the collective.
ChunkPlan mirrored_plan(Collective collective, Bytes bytes, const DimensionOrder& order);

}  // namespace coppice::schedule
