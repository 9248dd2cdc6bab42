#pragma once

#include <span>
#include <vector>

#include "schedule/hierarchical/chunk_simulation.h"

namespace coppice::schedule {

// ChunkSimulation's account of a whole collective, without tables and without a network.
struct ChunkStudy {
  struct Dimension {
    Bytes sent = 0;          // by an accelerator
    double utilization = 0;  // of its bandwidth, until the collective is complete
    std::vector<double>
        activity;  // per window: the part of it with a chunk in the dimension (Themis, Fig. 9)
    std::vector<ChunkOperation> operations;  // in the order it began them
  };
  Femtoseconds finish = 0;
  Femtoseconds ideal = 0;  // ideal_time()
  // The bandwidth-weighted mean over the dimensions (Themis, Sec. 3): ideal / finish without in-network
  // reduction.
  double utilization = 0;
  std::vector<Dimension> dimensions;
};

// `planner` decides the order of operations in every dimension, as in the tables; `machine`, a model of the
// same dimensions, says how long they take in it. A chunk is in a dimension from when it comes there until
// its operation is complete. The last window ends with the collective and may be shorter than `window` > 0.
// Throws UnsupportedError for more than a million windows.
ChunkStudy study_chunks(const LatencyModel& planner, const LatencyModel& machine, Collective collective,
                        std::span<const ChunkPlan> plans, IntraDimension policy, Femtoseconds window,
                        Grain grain = Grain::kSteps);

}  // namespace coppice::schedule
