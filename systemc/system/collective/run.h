#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "config/loader.h"
#include "system/machine/run_options.h"

namespace coppice::system {

// Compiles, checks, simulates and verifies the collective; returns the result ("coppice.result/1").
// Throws ConfigError (bad input found on the way), ModelError (the run failed), Interrupted.
// Elaborates a SystemC kernel: at most once per process.
nlohmann::ordered_json run_collective(const config::Loaded& loaded, const RunOptions& options);

// The SystemC hierarchy of the machine that would run, with its ports and what they are bound to, a line
// each. Elaborates a SystemC kernel. Throws as run_collective().
std::string describe_modules(const config::Loaded& loaded);

// What those modules count: describe_statistics(). Elaborates a SystemC kernel. Throws as run_collective().
std::string describe_quantities(const config::Loaded& loaded);

// One line per figure and the breakdown of the time, for people: of a result of run_collective().
std::string summarize(const nlohmann::ordered_json& result);

}  // namespace coppice::system
