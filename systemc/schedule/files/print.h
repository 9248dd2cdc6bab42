#pragma once

#include <optional>
#include <string>

#include "schedule/proof/checker.h"
#include "schedule/tables/ni_overhead.h"
#include "schedule/tables/schedule.h"

namespace coppice::schedule {

// Prints the schedule as a table for human readers, with one line per entry, grouped by accelerator and port.
std::string to_text(const topology::Topology& topology, const Schedule& schedule, const CheckReport& report,
                    const std::optional<NiOverhead>& overhead = {});
// Prints the schedule as JSON (schema "coppice.schedule/1") for other tools; schedule_file.h can read it.
std::string to_json(const topology::Topology& topology, const Schedule& schedule, const CheckReport& report,
                    const std::optional<NiOverhead>& overhead = {});
// Prints the tables of the network interfaces (schema "coppice.tables/1"). For every port, they contain the
// lines of its loop, the iterations in which each line is used, and the number of entries that the table
// represents (table_loop.h). `nops` states whether nops are stored.
std::string to_tables(const topology::Topology& topology, const Schedule& schedule, const CheckReport& report,
                      bool nops);
// Prints the flows as a Graphviz graph. Each message is an edge labelled with its step, and each flow has a
// colour.
std::string to_dot(const topology::Topology& topology, const Schedule& schedule);

}  // namespace coppice::schedule
