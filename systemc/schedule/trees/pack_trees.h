#pragma once

#include <optional>
#include <span>
#include <string>

#include "schedule/compile/compiler.h"
#include "schedule/tables/schedule.h"
#include "schedule/trees/tree_steps.h"

namespace coppice::schedule {

// Whether to try to pack the trees of all accelerators, with `pieces` trees each, into TreeTables. This is
// useful on a grid with more accelerators than CompileRequest::pattern_beyond on which each channel has its
// own NI port. pack_trees() still returns nullopt if a channel serves several trees in a timestep or if some
// accelerators own no data.
bool may_pack_trees(const topology::Topology& topology, const CompileRequest& request, int pieces);

// Makes the same schedule as build_schedule() makes from sends_of(trees), but stores it as TreeTables, which
// need a tenth of the memory. `flows[f]` is the data of tree f. Returns nullopt if the trees cannot be stored
// in this form.
std::optional<Schedule> pack_trees(const topology::Topology& topology, const CompileRequest& request,
                                   const std::string& algorithm, std::span<const Chunk> flows,
                                   const Trees& trees);

}  // namespace coppice::schedule
