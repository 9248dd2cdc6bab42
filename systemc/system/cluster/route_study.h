#pragma once

#include <nlohmann/json.hpp>

#include "config/loader.h"
#include "system/machine/run_options.h"

namespace coppice::system {

// Simulates the jobs of `routing.jobs` on a Clos network with the configured path assignment, and checks
// every all-reduce. The result ("coppice.route/1") has per job the times of its all-reduces, the ideal they
// are measured against, flow completion times and throughput; the controller's assignments; what every method
// makes of all flows at once; and the time line, which `options.trace_path` gets too. Throws ConfigError,
// ModelError (a wrong sum, flows that cannot be routed any more) and Interrupted. Elaborates a SystemC
// kernel: at most once per process.
nlohmann::ordered_json run_route_study(const config::Loaded& loaded, const RunOptions& options);

// For people, of its result.
std::string summarize_route_study(const nlohmann::ordered_json& result);

}  // namespace coppice::system
