#pragma once

#include <atomic>
#include <string>

#include <nlohmann/json.hpp>

namespace coppice::app {

// Repeats the run whose result ("coppice.result/1") is `result`, read from `path`, with the configuration
// that the result contains. Returns the `profile` that --record would have stored or, for a run with
// failures, the `stretches`, each with a profile. If this is not possible, returns {"skipped": reason}: the
// result is of another kind, the original run or its repetition takes longer than `most_seconds`, or the
// number of cycles differs in this version. Simulates in a child process. Throws Interrupted.
nlohmann::ordered_json replay(const std::string& path, const nlohmann::ordered_json& result,
                              double most_seconds, const std::atomic<bool>* interrupted);

}  // namespace coppice::app
