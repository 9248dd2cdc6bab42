#pragma once

#include <atomic>
#include <string>

#include <nlohmann/json.hpp>

namespace coppice::app {

// Runs what `result`, the file at `path`, is the result of ("coppice.result/1") once more, from the
// configuration in it, and returns what a report shows besides the result: `topology` (drawing_of()) and what
// RunProfile saw. `skipped` says why there is none: another kind of result, a run that took longer than
// `most_seconds` or takes longer now, or one that this version would not repeat. Simulates in a child
// process; throws Interrupted.
nlohmann::ordered_json replay(const std::string& path, const nlohmann::ordered_json& result,
                              double most_seconds, const std::atomic<bool>* interrupted);

}  // namespace coppice::app
