#pragma once

#include <string>
#include <string_view>

#include "schedule/compile/compiler.h"
#include "schedule/tables/schedule.h"

namespace coppice::schedule {

// Reads tables in the form that to_json() writes (schema "coppice.schedule/1"). The file may come from
// Coppice or another tool. Properties that need a proof are left to check_schedule(). Keys that contain
// results of that check (contention_free, shared, least_steps) are ignored.
//
// Throws ConfigError, with the position in the file, if the JSON is invalid or contains a zero byte, if a key
// is missing, unknown, duplicate or of the wrong type, if a number is out of range, or if the algorithm is
// missing. Also throws ConfigError if `topology` is not empty and differs from the name in the file
// (Topology::name()).
Schedule parse_schedule(std::string_view text, const std::string& file, std::string_view topology = {});

// A pseudo-algorithm that represents tables that are read from a file instead of compiled.
AlgorithmInfo tables_from_a_file();

// Returns the text of a schedule file in any format. Throws UnsupportedError if it cannot be read.
std::string read_schedule_text(const std::string& path);

}  // namespace coppice::schedule
