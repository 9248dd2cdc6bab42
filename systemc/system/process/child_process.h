#pragma once

#include <atomic>
#include <functional>

#include <nlohmann/json.hpp>

namespace coppice::system {

// Runs `body` in a forked process and returns its value. A SystemC kernel elaborates only once per process,
// so a simulation that may have to be repeated needs a process of its own. Call this before any SystemC
// object exists. Exceptions of `body` are rethrown as run_in_subprocesses() does. If `interrupted` is set
// meanwhile, terminates the child and throws Interrupted. If the child dies without an answer, throws a
// ModelError that names its signal or status. After `most_seconds` (0: no limit), terminates the child and
// throws OutOfTime (subprocess_run.h).
nlohmann::ordered_json run_in_child(const std::function<nlohmann::ordered_json()>& body,
                                    const std::atomic<bool>* interrupted, double most_seconds = 0);

}  // namespace coppice::system
