#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "config/settings/config.h"

namespace coppice::system {

class CostMeter;
class Machine;

// What every result begins with: its schema, the version that made it, and the configuration.
nlohmann::ordered_json begin_result(const std::string& schema, const config::Config& config);

// What the result of a run on a machine ends with: what the machine's modules have counted, which is written
// to `statistics_path` too unless that is empty, and what the run cost.
void end_result(nlohmann::ordered_json& result, const Machine& machine, const std::string& statistics_path,
                const CostMeter& cost);

}  // namespace coppice::system
