#pragma once

#include <string>
#include <string_view>

#include "schedule/compile/compiler.h"
#include "schedule/tables/schedule.h"

namespace coppice::schedule {

// Reads tables in the form of to_json() (schema "coppice.schedule/1"), written by Coppice or another tool.
// Checks that need a proof are left to check_schedule(). Keys with results of that check (contention_free,
// shared, least_steps) are ignored.
//
// Throws ConfigError with the position in the file: invalid JSON, a key that is missing, unknown, duplicate
// or of the wrong type, a number out of range, no algorithm, a zero byte; and, if `topology` is not empty,
// tables for a topology with another name (Topology::name()).
Schedule parse_schedule(std::string_view text, const std::string& file, std::string_view topology = {});

// The algorithm whose tables are read from a file instead of compiled.
AlgorithmInfo tables_from_a_file();

// The text of a file in any format; throws UnsupportedError if it cannot be read.
std::string read_schedule_text(const std::string& path);

}  // namespace coppice::schedule
