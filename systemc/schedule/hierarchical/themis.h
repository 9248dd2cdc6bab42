#pragma once

#include <span>
#include <vector>

#include "schedule/compile/latency_model.h"
#include "schedule/hierarchical/chunk_simulation.h"

namespace coppice::schedule {

// The total communication time of the chunks scheduled so far in each dimension (Themis, Sec. 4.2).
class DimLoadTracker {
 public:
  explicit DimLoadTracker(const LatencyModel& model)
      : model_(&model), sent_(model.dimensions(), 0), loads_(model.dimensions(), 0) {
    received_ = sent_;
  }

  // Starts from the fixed delays A_K of the whole collective (Sec. 4.4).
  void reset(Collective collective);
  std::span<const Femtoseconds> loads() const { return loads_; }
  // Adds n_K x B_K for a chunk's plan; the fixed delays are already included. With in-network reduction, n_K
  // is the larger of the bytes that accelerators send and receive.
  void update(const ChunkPlan& chunk);

 private:
  const LatencyModel* model_;
  std::vector<Femtoseconds> sent_;
  std::vector<Femtoseconds> received_;
  std::vector<Femtoseconds> loads_;  // [dimension]: the larger of sent_ and received_
};

// The baseline (Themis, Sec. 2.3): all chunks reduce-scatter over dimension 0, 1, ... and all-gather in
// reverse order.
std::vector<ChunkPlan> schedule_baseline(const LatencyModel& model, Collective collective,
                                         std::span<const Chunk> chunks);

// Themis, Algorithm 1: a chunk traverses the dimensions from the least loaded to the most loaded (in reverse
// in its all-gather), so that less loaded dimensions carry more of it. A chunk follows the baseline's order
// if loads differ by less than a threshold: the time to reduce-scatter a 16th of the chunk in the least
// loaded dimension (Sec. 5.3). Among equally loaded dimensions, the lower number counts as less loaded. An
// all-reduce adds both phases of a chunk to the loads.
std::vector<ChunkPlan> schedule_themis(const LatencyModel& model, Collective collective,
                                       std::span<const Chunk> chunks);

// The plan of a chunk that is reduce-scattered in `order` and all-gathered in the reverse order; only the
// collective's own phases are included.
ChunkPlan mirrored_plan(Collective collective, Bytes bytes, const DimensionOrder& order);

}  // namespace coppice::schedule
