#pragma once

#include <atomic>

#include <nlohmann/json.hpp>

namespace coppice::system {

// Runs the collective of `result` ("coppice.result/1") once more, from the configuration in it, and returns
// what a report shows besides the result: `topology` (drawing_of()) and what RunProfile saw.
// `skipped` says why there is none: no single collective, a run that took longer than `most_seconds`, or one
// that this version would not repeat. Simulates in a child process; throws Interrupted.
nlohmann::ordered_json replay(const nlohmann::ordered_json& result, double most_seconds,
                              const std::atomic<bool>* interrupted);

}  // namespace coppice::system
