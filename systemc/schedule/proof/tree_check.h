#pragma once

#include <optional>

#include "schedule/proof/check_report.h"
#include "schedule/tables/schedule.h"
#include "schedule/tables/tree_tables.h"

namespace coppice::schedule {

// The TreeTables to which all of a schedule's tables belong, each port in its slot; nullptr if there are
// none.
const TreeTables* tree_tables_of(const topology::Topology& topology, const Schedule& schedule);

// The report of check_schedule() by a proof for trees, timestep by timestep. Apart from the tables, the proof
// stores a few bytes per accelerator and tree, but no messages. Returns nullopt if the proof does not apply;
// use the general check then. Throws ScheduleError if an individual entry is invalid.
//
// In every timestep all messages issue at once, since the data they wait for arrived in earlier timesteps. An
// accelerator sends its sum of a tree once, to its parent, after all of its children's sums, and no more sums
// arrive later. At any time, therefore, the accelerators that have not sent hold every contribution exactly
// once between them; when all but one have sent, the last holds all contributions. Final values originate
// there: an accelerator passes one on after its children's and its parent's messages, and receives one store,
// from its parent. The dependencies are those of TreeOrder (tree_order.h), so all this holds under every
// timing.
std::optional<CheckReport> check_trees(const topology::Topology& topology, const Schedule& schedule,
                                       const TreeTables& tables);

}  // namespace coppice::schedule
