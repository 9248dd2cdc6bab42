#pragma once

#include <string>
#include <systemc>

#include <nlohmann/json.hpp>

namespace coppice::system {

// Statistics of the modules below `top`, by module kind: {"router": {"modules": 16, "flits": {"sum": 960,
// "max": 60}}}.
nlohmann::ordered_json collect_statistics(const sc_core::sc_object& top);

// The statistics of each module as CSV, with the columns module, quantity, unit and value.
std::string list_statistics(const sc_core::sc_object& top);

// Writes list_statistics() to the file `path`, unless it is empty. Throws ConfigError if the file cannot be
// written.
void write_statistics(const std::string& path, const sc_core::sc_object& top);

// Lists the quantities that the modules below `top` count, one per line: the module kind, the quantity's
// name, unit and description, separated by tabs.
std::string describe_statistics(const sc_core::sc_object& top);

}  // namespace coppice::system
