#pragma once

#include <span>
#include <vector>

#include "schedule/hierarchical/chunk_simulation.h"

namespace coppice::schedule {

// ChunkSimulation's prediction of a whole collective, without tables or a network.
struct ChunkStudy {
  struct Dimension {
    Bytes sent = 0;                          // per accelerator
    double utilization = 0;                  // fraction of its bandwidth used, on average
    std::vector<double> activity;            // [window]: fraction of time with a chunk here (Themis, Fig. 9)
    std::vector<ChunkOperation> operations;  // in the order in which they began
  };
  Femtoseconds finish = 0;
  Femtoseconds ideal = 0;  // ideal_time()
  // The bandwidth-weighted mean over the dimensions (Themis, Sec. 3): ideal / finish without in-network
  // reduction.
  double utilization = 0;
  std::vector<Dimension> dimensions;
};

// Predicts a collective. `planner` determines the order of operations in every dimension, as in the tables;
// `machine`, a model of the same dimensions, determines their durations. A chunk is in a dimension from its
// arrival there until its operation is complete. The last window ends with the collective and may be shorter
// than `window`, which must be positive. Throws UnsupportedError if there would be more than a million
// windows.
ChunkStudy study_chunks(const LatencyModel& planner, const LatencyModel& machine, Collective collective,
                        std::span<const ChunkPlan> plans, IntraDimension policy, Femtoseconds window,
                        Grain grain = Grain::kSteps);

}  // namespace coppice::schedule
