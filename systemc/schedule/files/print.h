#pragma once

#include <optional>
#include <string>

#include "schedule/proof/checker.h"
#include "schedule/tables/ni_overhead.h"
#include "schedule/tables/schedule.h"

namespace coppice::schedule {

// A human-readable table: per accelerator and port one line per entry.
std::string to_text(const topology::Topology& topology, const Schedule& schedule, const CheckReport& report,
                    const std::optional<NiOverhead>& overhead = {});
// The schedule as JSON (schema "coppice.schedule/1"), for other tools; schedule_file.h reads it back.
std::string to_json(const topology::Topology& topology, const Schedule& schedule, const CheckReport& report,
                    const std::optional<NiOverhead>& overhead = {});
// The tables of the network interfaces (schema "coppice.tables/1"): for every port the lines of its loop, the
// iterations in which each line is used, and the number of entries it stands for (table_loop.h). `nops`:
// whether nops are stored.
std::string to_tables(const topology::Topology& topology, const Schedule& schedule, const CheckReport& report,
                      bool nops);
// The flows as graphs for Graphviz: an edge per message, labelled with its step, a colour per flow.
std::string to_dot(const topology::Topology& topology, const Schedule& schedule);

}  // namespace coppice::schedule
