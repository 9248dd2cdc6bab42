#pragma once

#include "schedule/compile/compiler.h"
#include "schedule/trees/scheduled_trees.h"

namespace coppice::schedule {

// How many trees of its root a broadcast or reduce runs down, a piece of the data each, which follow one
// another: CompileRequest::chunks, or those of the least predicted time. Trees grown for a few pieces and for
// twice as many tell how many timesteps a piece more takes, b, and how many there are without any, a; p
// pieces of S bytes take (a + b p) (gap + beta S / p), which is least for p = sqrt(a beta S / (b gap)),
// C-Cube's eq. (4) for trees over channels. No more than a tree of so many accelerators can be grown in a
// moment.
int rooted_pieces(const topology::Topology& topology, const CompileRequest& request);

// How many slices chained_multitree cuts the data into, with `steps` timesteps a phase:
// CompileRequest::chunks, or those for which the whole time and the turnaround of the first slice are least
// together. K slices take 2 K latencies beside what their bytes take, and the first is final after three
// phases of 1 / K of the data.
int slice_count(const topology::Topology& topology, const CompileRequest& request, int steps);

// The predicted time of trees with one piece of `bytes` each, both phases: their timesteps, and the latencies
// for which ports wait (waits_of()).
Femtoseconds predicted_time(const topology::Topology& topology, const CompileRequest& request,
                            const Trees& trees, Bytes bytes);

}  // namespace coppice::schedule
