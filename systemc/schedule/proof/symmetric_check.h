#pragma once

#include "schedule/proof/check_report.h"
#include "schedule/tables/schedule.h"
#include "schedule/tables/translated_tables.h"

namespace coppice::schedule {

// The proof of check_schedule() for schedules that look the same from every accelerator. It costs as much as
// checking one accelerator's tables. The moves of a pattern map accelerators, flows, addresses, channels and
// ports onto equivalent ones, and entries onto entries. A property of the origin's messages and chunk
// therefore also holds for the messages and chunk of every other accelerator.

// The pattern that all tables follow, provided that its moves preserve the machine: the image of a message
// has an equivalent path, and the images of two messages share a resource if and only if the messages do.
// Otherwise returns nullptr, and each table needs its own proof.
const TablePattern* symmetry_of(const topology::Topology& topology, const Schedule& schedule);

// `pattern` comes from symmetry_of(). Throws ScheduleError as check_schedule() does.
CheckReport check_symmetric(const topology::Topology& topology, const Schedule& schedule,
                            const TablePattern& pattern);

// The nodes that a stored entry names: all of them, or only the destination (TableSource::read_message()).
enum class Names { kAll, kDestinations };
// A copy of the schedule in which only `node` has tables.
Schedule with_tables_of(const Schedule& schedule, NodeId node, Names names = Names::kAll);

// Whether any table shares its entries with other tables.
bool has_patterns(const Schedule& schedule);

// A copy of the schedule in which each table stores its own entries.
Schedule with_stored_entries(const Schedule& schedule);

}  // namespace coppice::schedule
