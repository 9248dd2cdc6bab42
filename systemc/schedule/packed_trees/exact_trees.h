#pragma once

#include <limits>

#include "schedule/compile/compiler.h"
#include "schedule/packed_trees/packed_tables.h"

namespace coppice::schedule {

// Tables for trees that fully use the bottleneck, with short pieces in a steady order
// (PieceScheduler::schedule_steady). An all-gather or broadcast uses arborescences (arborescences.h). A
// reduce-scatter or reduce uses the mirror image of arborescences on the reversed network: the reverse
// messages in reverse order. An all-reduce runs the mirror image of a broadcast from free roots, then the
// broadcast, if every channel has an equally fast reverse channel. Routed trees (routed_trees.h) are also
// tried; the fastest tables are returned, or none if the network is too large or the tables would take longer
// than `limit`.
PackedTables pack_exactly(const topology::Topology& topology, const CompileRequest& request,
                          Femtoseconds limit = std::numeric_limits<Femtoseconds>::max());

}  // namespace coppice::schedule
