#pragma once

#include <limits>

#include "schedule/compile/compiler.h"
#include "schedule/packed_trees/packed_tables.h"

namespace coppice::schedule {

// Builds tables for trees that fully use the bottleneck cut and send short pieces in a steady order
// (PieceScheduler::schedule_steady). An all-gather or broadcast uses arborescences (arborescences.h). A
// reduce-scatter or reduce packs arborescences on the reversed network and sends their messages backwards, in
// reverse order. An all-reduce needs an equally fast reverse channel for every channel: it reduces over
// reversed arborescences with freely chosen roots and then broadcasts over the same arborescences. Routed
// trees (routed_trees.h) are also tried. Returns the fastest tables, or none if the network is too large or
// all tables would take longer than `limit`.
PackedTables pack_exactly(const topology::Topology& topology, const CompileRequest& request,
                          Femtoseconds limit = std::numeric_limits<Femtoseconds>::max());

}  // namespace coppice::schedule
