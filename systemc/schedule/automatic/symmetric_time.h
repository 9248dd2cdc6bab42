#pragma once

#include <optional>

#include "schedule/compile/compiler.h"
#include "schedule/tables/schedule.h"
#include "topology/topology.h"

namespace coppice::schedule {

// Like expected_time() (packed_trees/expected_time.h), for symmetric tables. All accelerators perform the
// same actions at the same time, so only the origin is simulated. Returns nullopt for other tables, or if a
// path and its image have channels of different speeds.
std::optional<Femtoseconds> symmetric_time(const topology::Topology& topology, const CompileRequest& request,
                                           const Schedule& schedule);

}  // namespace coppice::schedule
