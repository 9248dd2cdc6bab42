#pragma once

#include <nlohmann/json.hpp>

#include "config/loader.h"
#include "system/machine/run_options.h"

namespace coppice::system {

// Simulates the jobs of `routing.jobs` on a Clos network with the configured path assignment, and verifies
// every all-reduce. The result ("coppice.route/1") contains each job's all-reduce times with their ideal,
// flow completion times and throughput; the controller's assignments; every method's assignment of all flows
// together; and the timeline, which is also written to `options.trace_path`. Throws ConfigError, ModelError
// (a wrong sum, or flows that can no longer be routed) and Interrupted. Elaborates a SystemC kernel: at most
// once per process.
nlohmann::ordered_json run_route_study(const config::Loaded& loaded, const RunOptions& options);

// Formats a summary of a result of run_route_study().
std::string summarize_route_study(const nlohmann::ordered_json& result);

}  // namespace coppice::system
