#pragma once

#include <nlohmann/json.hpp>

#include "config/loader.h"
#include "system/collective/run.h"
#include "system/traffic/traffic_options.h"

namespace coppice::system {

// Measures latency and throughput under synthetic traffic; the result is
// described in docs/. Throws as run_collective(). Elaborates a SystemC kernel.
nlohmann::ordered_json run_traffic(const config::Loaded& loaded, const TrafficOptions& traffic,
                                   const RunOptions& options);

}  // namespace coppice::system
