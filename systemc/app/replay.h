#pragma once

#include <atomic>
#include <string>

#include <nlohmann/json.hpp>

namespace coppice::app {

// Repeats the run that wrote `result` ("coppice.result/1"), the file at `path`, with the configuration in the
// result. Returns the `profile` that --record would have stored; for a run with failures, the `stretches`,
// each with its profile. If there is no profile, `skipped` receives the reason: another kind of result, a run
// that took longer than `most_seconds` or takes longer now, or a number of cycles that differs in this
// version. Simulates in a child process. Throws Interrupted.
nlohmann::ordered_json replay(const std::string& path, const nlohmann::ordered_json& result,
                              double most_seconds, const std::atomic<bool>* interrupted);

}  // namespace coppice::app
