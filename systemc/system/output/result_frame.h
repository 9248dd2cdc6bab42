#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "config/settings/config.h"

namespace coppice::system {

class CostMeter;
class Machine;

// Begins a result with its schema, the version of Coppice and the configuration.
nlohmann::ordered_json begin_result(const std::string& schema, const config::Config& config);

// Completes a run's result with the statistics of the machine's modules and the cost of the run. Also writes
// the statistics to `statistics_path`, unless it is empty.
void end_result(nlohmann::ordered_json& result, const Machine& machine, const std::string& statistics_path,
                const CostMeter& cost);

}  // namespace coppice::system
