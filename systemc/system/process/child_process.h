#pragma once

#include <atomic>
#include <functional>

#include <nlohmann/json.hpp>

namespace coppice::system {

// Runs `body` in a forked process and returns its value. Since a SystemC kernel elaborates only once per
// process, a simulation that may have to be repeated needs its own process. Call this before any SystemC
// object exists. Exceptions of `body` are rethrown as in run_in_subprocesses(). If `interrupted` becomes set,
// terminates the child and throws Interrupted. If the child dies without returning a value, throws a
// ModelError that states its signal or exit status. After `most_seconds` (0: no limit), terminates the child
// and throws OutOfTime (subprocess_run.h).
nlohmann::ordered_json run_in_child(const std::function<nlohmann::ordered_json()>& body,
                                    const std::atomic<bool>* interrupted, double most_seconds = 0);

}  // namespace coppice::system
