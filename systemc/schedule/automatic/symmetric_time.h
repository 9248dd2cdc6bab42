#pragma once

#include <optional>

#include "schedule/compile/compiler.h"
#include "schedule/tables/schedule.h"
#include "topology/topology.h"

namespace coppice::schedule {

// expected_time() (packed_trees/expected_time.h) for symmetric tables: all accelerators act alike at the same
// time, so only the origin is simulated. Returns nullopt for other tables, or if the images of a path have
// channels of different speeds.
std::optional<Femtoseconds> symmetric_time(const topology::Topology& topology, const CompileRequest& request,
                                           const Schedule& schedule);

}  // namespace coppice::schedule
