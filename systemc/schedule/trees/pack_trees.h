#pragma once

#include <optional>
#include <span>
#include <string>

#include "schedule/compile/compiler.h"
#include "schedule/tables/schedule.h"
#include "schedule/trees/tree_steps.h"

namespace coppice::schedule {

// Whether trees of all accelerators, `pieces` each, may become TreeTables: on more accelerators than
// CompileRequest::pattern_beyond of a grid, each of whose channels has its own NI port. Channels that
// serve several trees a timestep and data that not everybody owns a part of still may not.
bool may_pack_trees(const topology::Topology& topology, const CompileRequest& request, int pieces);

// The schedule that build_schedule() makes of sends_of(trees), as TreeTables, which takes a tenth of the
// memory; `flows[f]` is the data of tree f. nullopt where trees may not become that.
std::optional<Schedule> pack_trees(const topology::Topology& topology, const CompileRequest& request,
                                   const std::string& algorithm, std::span<const Chunk> flows,
                                   const Trees& trees);

}  // namespace coppice::schedule
