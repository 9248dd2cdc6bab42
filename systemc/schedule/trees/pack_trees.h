#pragma once

#include <optional>
#include <span>
#include <string>

#include "schedule/compile/compiler.h"
#include "schedule/tables/schedule.h"
#include "schedule/trees/tree_steps.h"

namespace coppice::schedule {

// Whether to try to pack the trees of all accelerators, `pieces` each, into TreeTables: on a grid with more
// accelerators than CompileRequest::pattern_beyond whose channels each have their own NI port. pack_trees()
// still returns nullopt if channels serve several trees in a timestep or some accelerators own no data.
bool may_pack_trees(const topology::Topology& topology, const CompileRequest& request, int pieces);

// The schedule that build_schedule() makes from sends_of(trees), but stored as TreeTables, which need a tenth
// of the memory. `flows[f]` is the data of tree f. Returns nullopt if the trees do not have the required
// form.
std::optional<Schedule> pack_trees(const topology::Topology& topology, const CompileRequest& request,
                                   const std::string& algorithm, std::span<const Chunk> flows,
                                   const Trees& trees);

}  // namespace coppice::schedule
