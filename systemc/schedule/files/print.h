#pragma once

#include <optional>
#include <string>

#include "schedule/proof/checker.h"
#include "schedule/tables/ni_overhead.h"
#include "schedule/tables/schedule.h"

namespace coppice::schedule {

// A human-readable table with one line per entry, grouped by accelerator and port.
std::string to_text(const topology::Topology& topology, const Schedule& schedule, const CheckReport& report,
                    const std::optional<NiOverhead>& overhead = {});
// The schedule as JSON (schema "coppice.schedule/1"), for other tools; schedule_file.h reads it back.
std::string to_json(const topology::Topology& topology, const Schedule& schedule, const CheckReport& report,
                    const std::optional<NiOverhead>& overhead = {});
// The tables of the network interfaces (schema "coppice.tables/1"): for every port the lines of its loop, the
// iterations in which each line is used, and the number of entries that it represents (table_loop.h). `nops`:
// whether nops are stored.
std::string to_tables(const topology::Topology& topology, const Schedule& schedule, const CheckReport& report,
                      bool nops);
// The flows as a Graphviz graph: one edge per message, labelled with its step, and one colour per flow.
std::string to_dot(const topology::Topology& topology, const Schedule& schedule);

}  // namespace coppice::schedule
