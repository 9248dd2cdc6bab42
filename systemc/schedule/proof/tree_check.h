#pragma once

#include <optional>

#include "schedule/proof/check_report.h"
#include "schedule/tables/schedule.h"
#include "schedule/tables/tree_tables.h"

namespace coppice::schedule {

// The TreeTables from which every port of a schedule reads the slot of its own node and port number; nullptr
// if there are none.
const TreeTables* tree_tables_of(const topology::Topology& topology, const Schedule& schedule);

// Proves a schedule of trees timestep by timestep and returns the report of check_schedule(). Apart from the
// tables, the proof stores a few bytes per accelerator per tree, but no messages. Returns nullopt if the
// proof does not apply; use the general check then. Throws ScheduleError if an individual entry is invalid.
//
// In every timestep all messages issue at once, since the data they wait for arrived in earlier timesteps. An
// accelerator sends its sum of a tree once, to its parent, after all of its children's sums, and no more sums
// arrive later. At any time, therefore, the accelerators that have not yet sent their sums hold every
// contribution exactly once between them. When only the root has not sent its sum, it holds all
// contributions, and final values originate at the root. Every other accelerator receives the value once,
// from its parent, and passes it on after all messages from its children and its parent. The dependencies are
// those of TreeOrder (tree_order.h), so all this holds under every timing.
std::optional<CheckReport> check_trees(const topology::Topology& topology, const Schedule& schedule,
                                       const TreeTables& tables);

}  // namespace coppice::schedule
