#pragma once

#include <span>
#include <vector>

#include "schedule/hierarchical/chunk_simulation.h"

namespace coppice::schedule {

// The prediction of a whole collective by ChunkSimulation, without tables or a network.
struct ChunkStudy {
  struct Dimension {
    Bytes sent = 0;          // bytes per accelerator
    double utilization = 0;  // average fraction of the dimension's bandwidth that is used
    // [window]: fraction of the window during which a chunk is in the dimension (Themis, Fig. 9).
    std::vector<double> activity;
    std::vector<ChunkOperation> operations;  // in the order of their start
  };
  Femtoseconds finish = 0;
  Femtoseconds ideal = 0;  // time from ideal_time()
  // The bandwidth-weighted mean over the dimensions (Themis, Sec. 3). Without in-network reduction, it equals
  // ideal / finish.
  double utilization = 0;
  std::vector<Dimension> dimensions;
};

// Predicts a collective. `planner` determines the order of operations in every dimension, as in the tables;
// `machine`, which models the same dimensions, determines their durations. A chunk is in a dimension from its
// arrival there until its operation is complete. Activity is measured in windows of length `window`, which
// must be positive; the last window ends with the collective and may be shorter. Throws UnsupportedError if
// there would be more than a million windows.
ChunkStudy study_chunks(const LatencyModel& planner, const LatencyModel& machine, Collective collective,
                        std::span<const ChunkPlan> plans, IntraDimension policy, Femtoseconds window,
                        Grain grain = Grain::kSteps);

}  // namespace coppice::schedule
