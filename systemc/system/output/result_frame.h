#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "config/settings/config.h"

namespace coppice::system {

class CostMeter;
class Machine;

// Begins a result with its schema, the program's version and the configuration.
nlohmann::ordered_json begin_result(const std::string& schema, const config::Config& config);

// Ends a run's result with the statistics of the machine's modules, which are also written to
// `statistics_path` unless that is empty, and the cost of the run.
void end_result(nlohmann::ordered_json& result, const Machine& machine, const std::string& statistics_path,
                const CostMeter& cost);

}  // namespace coppice::system
