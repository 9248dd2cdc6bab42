#pragma once

#include "schedule/compile/compiler.h"
#include "schedule/trees/scheduled_trees.h"

namespace coppice::schedule {

// Returns the number of the root's trees in a broadcast or reduce. Each tree carries one piece of the data.
// The number is CompileRequest::chunks or, if that is automatic, the number with the lowest predicted time.
//
// To predict times, trees are grown for a few pieces and for twice as many. The result is the number of
// timesteps per additional piece, b, and the fixed number of timesteps, a. In total, p pieces of S / p bytes
// take (a + b p) (gap + beta S / p), which is least for p = sqrt(a beta S / (b gap)). This is eq. (4) of
// C-Cube for trees over channels. The number is limited so that trees grow quickly.
int rooted_pieces(const topology::Topology& topology, const CompileRequest& request);

// Returns the number of slices into which chained_multitree cuts the data if a phase has `steps` timesteps.
// The number is CompileRequest::chunks or, if that is automatic, the number that minimises the sum of the
// total time and the turnaround time of the first slice. K slices take 2 K latencies in addition to the
// transfer time, and the first slice is final after three phases, each of 1 / K of the data.
int slice_count(const topology::Topology& topology, const CompileRequest& request, int steps);

// Returns the predicted time of both phases with one piece of `bytes` per tree. It consists of the timesteps
// and the latencies for which ports wait (waits_of()).
Femtoseconds predicted_time(const topology::Topology& topology, const CompileRequest& request,
                            const Trees& trees, Bytes bytes);

}  // namespace coppice::schedule
