#pragma once

#include <limits>

#include "schedule/compile/compiler.h"
#include "schedule/packed_trees/packed_tables.h"

namespace coppice::schedule {

// Tables over trees that use the bottleneck fully: exactly packed, with switches split off, in a steady order
// of short pieces (PieceScheduler::schedule_steady). An all-gather or broadcast packs arborescences
// (arborescences.h). A reduce-scatter or reduce is the mirror image of that on the reversed network: the same
// messages backwards in the reverse order. An all-reduce packs spanning trees whose links work in both
// directions at once or, if that takes too long, runs the mirror image of a broadcast from free roots and
// then that broadcast; both need an equally fast reverse of every channel. Returns no tables if that is
// impossible, the network is too large, or the tables would take longer than `limit`.
PackedTables pack_exactly(const topology::Topology& topology, const CompileRequest& request,
                          Femtoseconds limit = std::numeric_limits<Femtoseconds>::max());

}  // namespace coppice::schedule
