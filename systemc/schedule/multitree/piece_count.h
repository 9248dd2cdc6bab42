#pragma once

#include "schedule/compile/compiler.h"
#include "schedule/trees/scheduled_trees.h"

namespace coppice::schedule {

// The number of trees that a broadcast or reduce runs from its root, with one piece of the data each, in a
// pipeline: CompileRequest::chunks, or the number with the lowest predicted time. Growing trees for a few
// pieces and for twice as many gives b, the timesteps that one more piece takes, and a, the timesteps without
// any piece. p pieces of S bytes take (a + b p) (gap + beta S / p), which is least for p = sqrt(a beta S / (b
// gap)), C-Cube's eq. (4) for trees over channels. The number is limited so that the trees grow quickly.
int rooted_pieces(const topology::Topology& topology, const CompileRequest& request);

// The number of slices into which chained_multitree cuts the data, with `steps` timesteps per phase:
// CompileRequest::chunks, or the number that minimizes the sum of the total time and the turnaround of the
// first slice. K slices take 2 K latencies besides the time of their bytes, and the first slice is final
// after three phases of 1 / K of the data.
int slice_count(const topology::Topology& topology, const CompileRequest& request, int steps);

// The predicted time of trees with one piece of `bytes` each, both phases together: their timesteps, and the
// latencies for which ports wait (waits_of()).
Femtoseconds predicted_time(const topology::Topology& topology, const CompileRequest& request,
                            const Trees& trees, Bytes bytes);

}  // namespace coppice::schedule
