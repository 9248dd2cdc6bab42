#pragma once

#include "schedule/proof/check_report.h"
#include "schedule/tables/schedule.h"
#include "schedule/tables/translated_tables.h"

namespace coppice::schedule {

// The proof of check_schedule() for schedules that look the same from every accelerator, at the cost of one
// accelerator's tables: the moves of a pattern take accelerators, flows, addresses, channels and ports to
// others of their kind and entries to entries, so that what holds of the origin's messages and of the
// origin's chunk holds of everybody's.

// The pattern that all tables are of, if its moves keep the machine: nothing that a message meets on its way,
// nor anything that two messages share, is different at its image. nullptr: prove all of them.
const TablePattern* symmetry_of(const topology::Topology& topology, const Schedule& schedule);

// `pattern` from symmetry_of(). Throws ScheduleError as check_schedule() does.
CheckReport check_symmetric(const topology::Topology& topology, const Schedule& schedule,
                            const TablePattern& pattern);

// The schedule with entries of one accelerator only, which are stored, with all whom they name or with their
// destinations alone (TableSource::read_message()).
enum class Names { kAll, kDestinations };
Schedule with_tables_of(const Schedule& schedule, NodeId node, Names names = Names::kAll);

// Whether some table shares its entries with another.
bool has_patterns(const Schedule& schedule);

// The same tables, each with its own copy of the entries.
Schedule with_stored_entries(const Schedule& schedule);

}  // namespace coppice::schedule
