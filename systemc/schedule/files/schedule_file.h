#pragma once

#include <string>
#include <string_view>

#include "schedule/compile/compiler.h"
#include "schedule/tables/schedule.h"

namespace coppice::schedule {

// Reads tables in the form of to_json() (schema "coppice.schedule/1"), written by Coppice or another tool.
// Checks that need a proof are left to check_schedule(). Keys that hold results of that check
// (contention_free, shared, least_steps) are ignored.
//
// Throws ConfigError with the position in the file if the JSON is invalid, a key is missing, unknown,
// duplicate or of the wrong type, a number is out of range, the algorithm is missing, or there is a zero
// byte; also if `topology` is not empty and differs from the name (Topology::name()) in the file.
Schedule parse_schedule(std::string_view text, const std::string& file, std::string_view topology = {});

// A pseudo-algorithm for tables that are read from a file instead of compiled.
AlgorithmInfo tables_from_a_file();

// The text of a file in any format; throws UnsupportedError if it cannot be read.
std::string read_schedule_text(const std::string& path);

}  // namespace coppice::schedule
