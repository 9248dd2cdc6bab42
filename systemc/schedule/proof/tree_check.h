#pragma once

#include <optional>

#include "schedule/proof/check_report.h"
#include "schedule/tables/schedule.h"
#include "schedule/tables/tree_tables.h"

namespace coppice::schedule {

// The tables if all of a schedule's are one TreeTables', each port's where it belongs; nullptr otherwise.
const TreeTables* tree_tables_of(const topology::Topology& topology, const Schedule& schedule);

// The report of check_schedule() by a proof of trees, timestep by timestep: beyond the tables it stores a few
// bytes for every accelerator in every tree, and no messages. Returns nullopt if this proof does not apply;
// use the general check then. Throws ScheduleError for an entry that is wrong by itself.
//
// In every timestep all messages issue at once, since what they wait for came in earlier ones. An accelerator
// sends the sum of a tree once, to its parent, when it has counted all of its children's, and no more come.
// So at any time the accelerators that have not sent hold every contribution once between them: when all but
// one have, that one holds all. It is whom final values come from: an accelerator sends one on when it has
// counted its children and its parent's message, and is stored to once, by its parent. The dependencies are
// those of TreeOrder (tree_order.h), which makes all this so under every timing.
std::optional<CheckReport> check_trees(const topology::Topology& topology, const Schedule& schedule,
                                       const TreeTables& tables);

}  // namespace coppice::schedule
