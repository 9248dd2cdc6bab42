#pragma once

#include <string>
#include <string_view>

#include "schedule/compile/compiler.h"
#include "schedule/tables/schedule.h"

namespace coppice::schedule {

// Reads the tables that to_json() writes (schema "coppice.schedule/1"), from Coppice or from elsewhere. What
// only a proof can tell is left to check_schedule(). Keys that say what a check would find
// (contention_free, shared, least_steps) are read over.
//
// Throws ConfigError with the place in the file: no JSON, a key that is missing, unknown or of the wrong
// type, a key that is there twice, a number out of range, no algorithm, a byte 0; and, if `topology` is not
// empty, tables for a topology of another name (Topology::name()).
Schedule parse_schedule(std::string_view text, const std::string& file, std::string_view topology = {});

// The same from a file; throws UnsupportedError if it cannot be read.
Schedule read_schedule_file(const std::string& path, std::string_view topology = {});

// The algorithm whose tables are read and not compiled.
AlgorithmInfo tables_from_a_file();

}  // namespace coppice::schedule
