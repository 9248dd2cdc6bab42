#pragma once

#include <limits>

#include "schedule/compile/compiler.h"
#include "schedule/packed_trees/packed_tables.h"

namespace coppice::schedule {

// Tables over trees that use the bottleneck to the full, exactly packed with switches split off, in a steady
// order of short pieces (PieceScheduler::schedule_steady). An all-gather or broadcast packs arborescences
// (arborescences.h); a reduce-scatter or reduce is its mirror image over the reversed network: the same
// messages backwards in the reverse order. An all-reduce packs spanning trees whose links work in both
// directions at once, or, where that takes too long, is the image of a broadcast from free roots and then
// that broadcast: both need a channel back of the same bandwidth for every channel. No tables where that is
// not possible, the network is too large, or they would take longer than `limit`.
PackedTables pack_exactly(const topology::Topology& topology, const CompileRequest& request,
                          Femtoseconds limit = std::numeric_limits<Femtoseconds>::max());

}  // namespace coppice::schedule
