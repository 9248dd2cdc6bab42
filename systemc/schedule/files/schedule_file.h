#pragma once

#include <string>
#include <string_view>

#include "schedule/compile/compiler.h"
#include "schedule/tables/schedule.h"

namespace coppice::schedule {

// Reads tables in the form of to_json() (schema "coppice.schedule/1"), from Coppice or from elsewhere. Checks
// that need a proof are left to check_schedule(). Keys with results of that check (contention_free, shared,
// least_steps) are ignored.
//
// Throws ConfigError with the place in the file: no JSON, a key that is missing, unknown or of the wrong
// type, a key that is there twice, a number out of range, no algorithm, a byte 0; and, if `topology` is not
// empty, tables for a topology of another name (Topology::name()).
Schedule parse_schedule(std::string_view text, const std::string& file, std::string_view topology = {});

// The algorithm whose tables are read and not compiled.
AlgorithmInfo tables_from_a_file();

// The text of a file, whatever its form; throws UnsupportedError if it cannot be read.
std::string read_schedule_text(const std::string& path);

}  // namespace coppice::schedule
