#pragma once

#include "schedule/compile/compiler.h"
#include "schedule/trees/scheduled_trees.h"

namespace coppice::schedule {

// The number of the root's trees in a broadcast or reduce, each of which carries one piece of the data:
// CompileRequest::chunks or, if automatic, the number with the lowest predicted time. Growing trees for a few
// pieces and for twice as many gives b, the timesteps per additional piece, and a, the fixed number of
// timesteps. In total, p pieces of S / p bytes take (a + b p) (gap + beta S / p), which is least for p =
// sqrt(a beta S / (b gap)), C-Cube's eq. (4) for trees over channels. The number is limited so that trees
// grow quickly.
int rooted_pieces(const topology::Topology& topology, const CompileRequest& request);

// The number of slices into which chained_multitree cuts the data, with `steps` timesteps per phase:
// CompileRequest::chunks or, if automatic, the number that minimizes the sum of the total time and the
// turnaround of the first slice. K slices take 2 K latencies in addition to the transfer time, and the first
// slice is final after three phases of 1 / K of the data.
int slice_count(const topology::Topology& topology, const CompileRequest& request, int steps);

// The predicted time of both phases with one piece of `bytes` per tree: the timesteps, plus the latencies for
// which ports wait (waits_of()).
Femtoseconds predicted_time(const topology::Topology& topology, const CompileRequest& request,
                            const Trees& trees, Bytes bytes);

}  // namespace coppice::schedule
