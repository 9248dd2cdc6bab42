#pragma once

#include <nlohmann/json.hpp>

#include "config/loader.h"
#include "system/machine/run_options.h"

namespace coppice::system {

// Simulates the jobs of `routing.jobs` on a Clos network with the configured path assignment, and verifies
// every all-reduce. The result ("coppice.route/1") contains the times of each job's all-reduces and flows,
// the cost and loads of the controller's assignments, a comparison of all methods on the flows of all jobs
// together, and a timeline, which is also written to `options.trace_path`. Throws ConfigError, Interrupted,
// and ModelError for a wrong sum or for flows that can no longer be routed. A process can call this only
// once, since it elaborates a SystemC kernel.
nlohmann::ordered_json run_route_study(const config::Loaded& loaded, const RunOptions& options);

// Formats a summary of a result of run_route_study().
std::string summarize_route_study(const nlohmann::ordered_json& result);

}  // namespace coppice::system
