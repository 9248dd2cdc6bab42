#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "config/loader.h"
#include "system/machine/run_options.h"
#include "system/traffic/traffic_options.h"

namespace coppice::system {

// Measures latency and throughput under synthetic traffic; docs/guide/traffic.md describes the result. Throws
// like run_program(). Elaborates a SystemC kernel.
nlohmann::ordered_json run_traffic(const config::Loaded& loaded, const TrafficOptions& traffic,
                                   const RunOptions& options);

// List the SystemC hierarchy and the statistics of the machine under synthetic traffic, as describe_modules()
// and describe_quantities() do for a collective. Both throw like run_program() and elaborate a SystemC
// kernel.
std::string describe_traffic_modules(const config::Loaded& loaded);
std::string describe_traffic_quantities(const config::Loaded& loaded);

}  // namespace coppice::system
