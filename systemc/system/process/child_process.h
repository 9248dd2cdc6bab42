#pragma once

#include <atomic>
#include <functional>

#include <nlohmann/json.hpp>

namespace coppice::system {

// Runs `body` in a forked process and returns its value: a SystemC kernel elaborates only once per process,
// so a simulation that may have to be repeated needs its own. Call it before any SystemC object exists.
//
// Exceptions of the body are rethrown with their type if they are ContentionError, ModelError, ConfigError or
// Interrupted, otherwise as ModelError. If `interrupted` is set meanwhile, the child is ended and Interrupted
// is thrown. If a child dies without an answer, ModelError names its signal or status. After `most_seconds`,
// unless that is 0, the child is ended and OutOfTime (subprocess_run.h) is thrown.
nlohmann::ordered_json run_in_child(const std::function<nlohmann::ordered_json()>& body,
                                    const std::atomic<bool>* interrupted, double most_seconds = 0);

}  // namespace coppice::system
