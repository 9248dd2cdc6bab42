#pragma once

#include <optional>

#include "schedule/compile/compiler.h"
#include "schedule/tables/schedule.h"
#include "topology/topology.h"

namespace coppice::schedule {

// As expected_time() (packed_trees/expected_time.h), of tables that are one accelerator's and the moves that
// make them everybody's: what the origin does, all do in the same moment, so that it alone is executed.
// Returns nullopt for other tables, or where a way has channels of different speed.
std::optional<Femtoseconds> symmetric_time(const topology::Topology& topology, const CompileRequest& request,
                                           const Schedule& schedule);

}  // namespace coppice::schedule
