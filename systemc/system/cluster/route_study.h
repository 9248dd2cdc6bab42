#pragma once

#include <nlohmann/json.hpp>

#include "config/loader.h"
#include "system/machine/run_options.h"

namespace coppice::system {

// Simulates the jobs of `routing.jobs` on a Clos network with the configured path assignment, and checks
// every all-reduce. The result ("coppice.route/1") has, per job, the times of its all-reduces, the ideal to
// which they are compared, flow completion times and throughput; the controller's assignments; every method's
// assignment of all flows at once; and the timeline, which is also written to `options.trace_path`. Throws
// ConfigError, ModelError (a wrong sum, or flows that can no longer be routed) and Interrupted. Elaborates a
// SystemC kernel: at most once per process.
nlohmann::ordered_json run_route_study(const config::Loaded& loaded, const RunOptions& options);

// The text summary of its result.
std::string summarize_route_study(const nlohmann::ordered_json& result);

}  // namespace coppice::system
